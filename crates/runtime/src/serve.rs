//! A small HTTP server for the endpoints every process has: health, readiness and metrics. Plain or
//! TLS, bounded in connections and patience.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::background::Background;
use crate::shutdown::Shutdown;
use crate::supervise;

mod health;
mod metrics;
mod tls;

#[cfg(test)]
mod tests;

pub use health::health;
pub use metrics::{Access, Authorize, metrics};
pub use tls::Certificates;

/// Connections at once; probes and scrapes need few.
const CONNECTIONS: usize = 64;

/// Longest time for a client to send its request.
const PATIENCE: Duration = Duration::from_secs(10);

/// An answer's body.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Answers requests.
pub type Handler =
    Arc<dyn Fn(Request<Incoming>) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

/// A server that has its port and does not answer yet.
pub struct Server {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Server {
    /// Takes the port of an address such as `:8080` or `127.0.0.1:8080`.
    pub async fn bind(address: &str) -> io::Result<Self> {
        let listener = match address.strip_prefix(':') {
            // All addresses, IPv6 where the machine has it.
            Some(port) => match TcpListener::bind(format!("[::]:{port}")).await {
                Ok(listener) => Ok(listener),
                Err(_) => TcpListener::bind(format!("0.0.0.0:{port}")).await,
            },
            None => TcpListener::bind(address).await,
        };
        let listener = listener.map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("cannot listen on {address:?}: {error}"),
            )
        })?;
        Ok(Self {
            listener,
            tls: None,
        })
    }

    /// Serves TLS with these certificates.
    pub fn secured(mut self, certificates: Certificates) -> Result<Self, String> {
        self.tls = Some(certificates.acceptor()?);
        Ok(self)
    }

    /// Serves TLS as this configuration says, for endpoints that look after their certificate
    /// themselves.
    pub fn with_tls(mut self, config: Arc<ServerConfig>) -> Self {
        self.tls = Some(TlsAcceptor::from(config));
        self
    }

    /// The address it listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers in the background until a stop is asked for.
    pub fn spawn(
        self,
        name: &'static str,
        handler: Handler,
        (background, shutdown): (&Background, Shutdown),
    ) {
        let server = Arc::new(self);
        background.keep(name, move || {
            let (server, handler) = (Arc::clone(&server), Arc::clone(&handler));
            let shutdown = shutdown.clone();
            async move {
                let room = Arc::new(Semaphore::new(CONNECTIONS));
                tokio::select! {
                    () = shutdown.requested() => {}
                    () = server.accept(&handler, &room) => {}
                }
            }
        });
    }

    async fn accept(&self, handler: &Handler, room: &Arc<Semaphore>) {
        while let Ok(place) = Arc::clone(room).acquire_owned().await {
            let Ok((stream, _)) = self.listener.accept().await else {
                // Out of file descriptors, most likely; others may end soon.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let (handler, tls) = (Arc::clone(handler), self.tls.clone());
            supervise::spawn("connection", async move {
                serve(stream, tls, handler).await;
                drop(place);
            });
        }
    }
}

async fn serve(stream: TcpStream, tls: Option<TlsAcceptor>, handler: Handler) {
    match tls {
        None => exchange(stream, handler).await,
        Some(acceptor) => {
            let handshake = tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = handshake {
                exchange(stream, handler).await;
            }
        }
    }
}

async fn exchange(stream: impl AsyncRead + AsyncWrite + Unpin + Send, handler: Handler) {
    let service = service_fn(move |request| {
        let answer = handler(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    // A client that goes away is its own affair.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// An answer of text.
fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()).boxed_unsync());
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// Whether a request only reads.
fn reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}
