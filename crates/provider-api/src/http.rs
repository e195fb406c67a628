//! The HTTP layer all REST providers share: requests, status mapping, paging, redaction. The wire
//! itself is a trait ([`Transport`]) implemented by the runtime, so no TLS stack is linked here.
//! Nothing in here prints a credential, a query value or a body.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::context::Time;
use crate::error::{Error, ErrorKind, Result};
use crate::value::SecretValue;

mod answer;
mod last;
mod page;
mod redact;
mod request;
mod status;
mod url;

pub use answer::{Answer, Trailers};
pub use http::{Method, StatusCode, Version};
pub use last::{LastRequest, server_of};
pub use page::{Page, pages};
pub use redact::RedactedUrl;
pub use request::RequestBuilder;
pub use status::{check_status, kind_of};
pub use url::{encode_component, encode_key, encode_path, encode_segment};

/// Sends one request and reads its whole answer.
pub trait Transport: Send + Sync {
    /// Sends `request`. An answer of any status is `Ok`; an error means no answer came. A request of
    /// [`Version::HTTP_2`] goes over HTTP/2 or fails. Trailers are the extension [`Trailers`].
    fn send(&self, request: http::Request<Bytes>) -> BoxFuture<'_, Result<http::Response<Bytes>>>;

    /// Scheme, host and port that a request goes to, and the proxy it goes through.
    fn server(&self, uri: &http::Uri) -> String {
        server_of(uri)
    }
}

/// Makes transports. One per distinct [`Tls`]; implementations pool connections.
pub trait Transports: Send + Sync {
    /// A transport with the given trust and identity.
    fn connect(&self, tls: &Tls) -> Result<Arc<dyn Transport>>;

    /// Opens a TCP connection to a host and closes it again.
    fn reach<'a>(&'a self, _host: &'a str, _port: u16) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Err(Error::unsupported("connections cannot be tried here")) })
    }
}

/// Trust and identity of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// Certificate authorities in PEM; when set, only these are trusted.
    pub ca: Option<Vec<u8>>,
    /// Client certificate and key.
    pub identity: Option<Identity>,
    /// Whom to believe.
    pub verification: Verification,
}

/// A client certificate with its key, both PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// Certificate chain.
    pub certificate: Vec<u8>,
    /// Private key.
    pub key: SecretValue,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(***)")
    }
}

/// How a server's certificate is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verification {
    /// Chain and host name.
    #[default]
    Full,
    /// Chain, and this name in place of the host name.
    ServerName(String),
    /// Not at all; only a manifest that says so leads here (`insecure-skip-tls-verify`, `verifyCA: false`).
    Off,
}

/// A client over one transport.
#[derive(Clone)]
pub struct HttpClient {
    transport: Arc<dyn Transport>,
    time: Option<Arc<dyn Time>>,
    last: Arc<LastRequest>,
}

impl HttpClient {
    /// A client over `transport`.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Self {
            transport,
            time: None,
            last: Arc::default(),
        }
    }

    /// The same client with a clock, for `Retry-After` dates of servers that send no `Date`.
    pub fn with_time(mut self, time: Arc<dyn Time>) -> Self {
        self.time = Some(time);
        self
    }

    /// The same client, noting its requests where others can see them.
    pub fn noting(mut self, last: Arc<LastRequest>) -> Self {
        self.last = last;
        self
    }

    /// Begins a request.
    pub fn request(&self, method: Method, url: impl Into<String>) -> RequestBuilder {
        RequestBuilder::new(self.clone(), method, url.into())
    }

    /// Begins a GET request.
    pub fn get(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::GET, url)
    }

    /// Begins a POST request.
    pub fn post(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::POST, url)
    }

    /// Begins a PUT request.
    pub fn put(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::PUT, url)
    }

    /// Begins a PATCH request.
    pub fn patch(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::PATCH, url)
    }

    /// Begins a DELETE request.
    pub fn delete(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::DELETE, url)
    }

    /// Sends a request that is complete and returns the answer whatever its status.
    pub async fn exchange(&self, request: http::Request<Bytes>) -> Result<Answer> {
        let called = format!("{} {}", request.method(), RedactedUrl::new(request.uri()));
        let response = self.send(request).await?;
        let now = self.time.as_ref().map(|time| time.now());
        Ok(Answer::new(response, called, now))
    }

    /// Sends a request and returns the response whatever its status.
    ///
    /// No answer is `Unreachable`, so a broken wire can never look like a missing secret.
    pub async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>> {
        let called = format!("{} {}", request.method(), RedactedUrl::new(request.uri()));
        self.last.sent(self.transport.server(request.uri()));
        let answer = self.transport.send(request).await;
        let answer = answer.map_err(|error| no_answer(error, &called))?;
        self.last.answered(answer.status());
        Ok(answer)
    }
}

fn no_answer(error: Error, called: &str) -> Error {
    let kind = match error.kind() {
        kind @ (ErrorKind::InvalidSpec | ErrorKind::Internal) => kind.clone(),
        _ => ErrorKind::Unreachable,
    };
    let (advised, unconnected) = (error.is_advised(), error.is_unconnected());
    let mut error = Error::new(kind, format!("{called}: {error}")).with_source(error);
    if advised {
        error = error.advised();
    }
    if unconnected {
        error = error.unconnected();
    }
    error
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient")
    }
}

#[cfg(test)]
mod tests;
