//! What happens to each request to the API server: rate limit, try, time limit, count, and again
//! where the server asked for patience. Watches pass without rate limit, retry and size of answer;
//! only their start is limited in time.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode, Uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use kube::client::Body;
use parking_lot::Mutex;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};

use super::Settings;
use super::budget::{Budget, Rate};
use crate::clock::Stopwatch;
use crate::metrics::Metrics;

type Wire = BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>;
type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// Starts of watches; plenty for any start-up, and no tight loop with a server that ends them at once.
const WATCHES: Rate = Rate {
    per_second: 20.0,
    burst: 200,
};

/// Tries beyond the first.
const RETRIES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The service in front of the wire.
#[derive(Clone)]
pub(super) struct Stack {
    wire: Wire,
    shared: Arc<Shared>,
}

struct Shared {
    timeout: Duration,
    metrics: Arc<Metrics>,
    budget: Option<Mutex<Budget>>,
    watches: Mutex<Budget>,
    started: Stopwatch,
}

impl Stack {
    pub(super) fn new(wire: Wire, settings: &Settings, metrics: Arc<Metrics>) -> Self {
        let budget = settings.rate.map(|rate| Mutex::new(Budget::new(rate)));
        Self {
            wire,
            shared: Arc::new(Shared {
                timeout: settings.timeout,
                metrics,
                budget,
                watches: Mutex::new(Budget::new(WATCHES)),
                started: Stopwatch::start(),
            }),
        }
    }

    async fn send(self, mut request: Request<Body>) -> Result<Answer, BoxError> {
        if is_watch(request.uri()) {
            self.wait_for(&self.shared.watches).await;
            let (head, body) = self.head(request).await?.into_parts();
            let body = body.map_err(BoxError::from).boxed_unsync();
            return Ok(Response::from_parts(head, body));
        }
        let mut retries = 0;
        loop {
            let again = copy(&request);
            if let Some(budget) = &self.shared.budget {
                self.wait_for(budget).await;
            }
            let answer = self.whole(request).await?;
            let pause = pause(answer.status(), retry_after(&answer), retries);
            let (Some(pause), Some(next)) = (pause, again) else {
                return Ok(answer);
            };
            retries += 1;
            tokio::time::sleep(pause).await;
            request = next;
        }
    }

    /// Sends a request and reads its whole answer within the time limit.
    async fn whole(&self, request: Request<Body>) -> Result<Answer, BoxError> {
        let timeout = self.shared.timeout;
        let exchange = async {
            let (head, body) = self.head(request).await?.into_parts();
            let body = Full::new(body.collect().await?.to_bytes());
            let body = body.map_err(|never| match never {}).boxed_unsync();
            Ok(Response::from_parts(head, body))
        };
        let answer = tokio::time::timeout(timeout, exchange).await;
        answer.unwrap_or_else(|_| Err(silence(timeout)))
    }

    /// Sends a request and reads the head of its answer within the time limit.
    async fn head(&self, request: Request<Body>) -> Result<Response<Incoming>, BoxError> {
        let method = request.method().clone();
        let host = request.uri().authority().map(ToString::to_string);
        let timeout = self.shared.timeout;
        let answer = tokio::time::timeout(timeout, self.wire.clone().oneshot(request)).await;
        let answer = answer.unwrap_or_else(|_| Err(silence(timeout)));
        let code = match &answer {
            Ok(answer) => Cow::Owned(answer.status().as_str().to_owned()),
            Err(_) => Cow::Borrowed("<error>"),
        };
        let host = host.unwrap_or_default();
        self.shared.metrics.api_request(code, &method, &host);
        answer
    }

    async fn wait_for(&self, budget: &Mutex<Budget>) {
        let wait = budget.lock().take(self.shared.started.elapsed());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}

impl Service<Request<Body>> for Stack {
    type Response = Answer;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Answer, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.clone().send(request).boxed()
    }
}

fn silence(timeout: Duration) -> BoxError {
    let text = format!("no answer within {} s", timeout.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, text).into()
}

fn is_watch(uri: &Uri) -> bool {
    let pairs = uri.query().unwrap_or_default().split('&');
    pairs
        .into_iter()
        .any(|pair| matches!(pair, "watch=true" | "watch=1"))
}

/// The same request once more; none for bodies that can be sent once only.
fn copy(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}

fn retry_after(answer: &Answer) -> Option<Duration> {
    let seconds = answer.headers().get(RETRY_AFTER)?.to_str().ok()?;
    Some(Duration::from_secs(seconds.parse().ok()?))
}

/// How long to wait before another try; none when the answer stands.
fn pause(status: StatusCode, asked: Option<Duration>, retries: u32) -> Option<Duration> {
    let patience = match status {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => true,
        other => other.is_server_error() && asked.is_some(),
    };
    if !patience || retries >= RETRIES {
        return None;
    }
    let spread = FIRST_PAUSE * 2_u32.pow(retries);
    let spread = spread.mul_f64(0.5 + fastrand::f64());
    Some(asked.unwrap_or(spread).max(spread).min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watches_are_told_from_lists_by_their_query() {
        let watch = |uri: &'static str| is_watch(&Uri::from_static(uri));

        assert!(watch("/api/v1/secrets?&watch=true&timeoutSeconds=290"));
        assert!(!watch("/api/v1/secrets?&labelSelector=watch%3Dtrue"));
        assert!(!watch("/api/v1/namespaces/watch"));
    }

    #[test]
    fn only_pleas_for_patience_are_tried_again_and_only_so_often() {
        let second = Some(Duration::from_secs(1));
        let busy = StatusCode::TOO_MANY_REQUESTS;

        assert_eq!(pause(busy, second, 0), second);
        assert!(pause(busy, None, 3).is_some());
        assert_eq!(pause(busy, second, RETRIES), None);
        assert_eq!(pause(StatusCode::CONFLICT, second, 0), None);
        assert_eq!(pause(StatusCode::INTERNAL_SERVER_ERROR, None, 0), None);
        assert!(pause(StatusCode::INTERNAL_SERVER_ERROR, second, 0).is_some());
    }

    #[test]
    fn a_server_cannot_make_a_request_wait_for_minutes() {
        let hour = Some(Duration::from_hours(1));

        let pause = pause(StatusCode::SERVICE_UNAVAILABLE, hour, 0);

        assert_eq!(pause, Some(LONGEST_PAUSE));
    }
}
