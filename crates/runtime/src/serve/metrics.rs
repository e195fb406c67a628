//! `/metrics`: a scrape, sent page by page, to anybody or to those the API server allows.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;

use super::{Body, Handler, reads, text};
use crate::metrics::{Metrics, Scrape};

/// What a bearer of a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read the path.
    Granted,
    /// Nothing: the token is not known.
    Unknown,
    /// Not this.
    Denied,
}

/// Decides who may read.
pub trait Authorize: Send + Sync {
    /// What the bearer of `token` may do with `path`; a text when that cannot be found out.
    fn access<'a>(&'a self, token: &'a str, path: &'a str)
    -> BoxFuture<'a, Result<Access, String>>;
}

/// The metrics endpoint; without `authorize` open to anybody who reaches it.
pub fn metrics(metrics: Arc<Metrics>, authorize: Option<Arc<dyn Authorize>>) -> Handler {
    Arc::new(move |request| {
        let (metrics, authorize) = (Arc::clone(&metrics), authorize.clone());
        async move {
            let path = request.uri().path();
            if path != "/metrics" || !reads(request.method()) {
                return text(StatusCode::NOT_FOUND, "404 page not found\n");
            }
            if let Some(authorize) = authorize
                && let Some(refusal) = refusal(authorize.as_ref(), request.headers(), path).await
            {
                return refusal;
            }
            scraped(metrics.scrape())
        }
        .boxed()
    })
}

async fn refusal(
    authorize: &dyn Authorize,
    headers: &HeaderMap,
    path: &str,
) -> Option<Response<Body>> {
    let header = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = header.and_then(|header| header.strip_prefix("Bearer "));
    let Some(token) = token.map(str::trim).filter(|token| !token.is_empty()) else {
        return Some(text(StatusCode::UNAUTHORIZED, "Unauthorized\n"));
    };
    match authorize.access(token, path).await {
        Ok(Access::Granted) => None,
        Ok(Access::Unknown) => Some(text(StatusCode::UNAUTHORIZED, "Unauthorized\n")),
        Ok(Access::Denied) => Some(text(StatusCode::FORBIDDEN, "Forbidden\n")),
        Err(error) => {
            tracing::warn!(%error, "cannot find out who may read metrics");
            let text = self::text(StatusCode::INTERNAL_SERVER_ERROR, "Authorization failed\n");
            Some(text)
        }
    }
}

fn scraped(scrape: Scrape) -> Response<Body> {
    let pages = scrape.map(|page| Ok(Frame::data(Bytes::from(page))));
    let body = StreamBody::new(stream::iter(pages)).boxed_unsync();
    let mut response = Response::new(body);
    let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, format);
    response
}
