//! The HTTP layer all REST providers share: request building, status mapping, redaction. The wire
//! itself is a trait ([`Transport`]) implemented by the runtime, so no TLS stack is linked here.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::error::Result;
use crate::value::SecretValue;

/// Sends one request and reads its whole answer.
pub trait Transport: Send + Sync {
    /// Sends `request`. An answer of any status is `Ok`; an error means no answer came.
    fn send(&self, request: http::Request<Bytes>) -> BoxFuture<'_, Result<http::Response<Bytes>>>;
}

/// Makes transports. One per distinct [`Tls`]; implementations pool connections.
pub trait Transports: Send + Sync {
    /// A transport with the given trust and identity.
    fn connect(&self, tls: &Tls) -> Result<Arc<dyn Transport>>;
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
    /// Not at all; only a kubeconfig that says `insecure-skip-tls-verify` leads here.
    Off,
}

/// A client over one transport.
#[derive(Clone)]
pub struct HttpClient {
    transport: Arc<dyn Transport>,
}

impl HttpClient {
    /// A client over `transport`.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Self { transport }
    }

    /// Sends a request and returns the answer whatever its status.
    pub async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>> {
        self.transport.send(request).await
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient")
    }
}
