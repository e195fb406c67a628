//! A gRPC server for unary calls over TLS and HTTP/2: a function answers each message. Only who is
//! given its authority trusts it. The status stands behind the message, also where there is none.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bytes::{BufMut as _, Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use crate::azure::trust;

/// One call that a client makes.
pub struct Call {
    /// `/package.Service/Method`.
    pub path: String,
    /// Metadata, such as `authorization`.
    pub metadata: HeaderMap,
    /// The message.
    pub message: Bytes,
}

impl Call {
    /// One piece of metadata as text.
    pub fn metadata(&self, name: &str) -> &str {
        let value = self.metadata.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// The outcome of a call: a message, or a status code with a text.
pub type Outcome = std::result::Result<Vec<u8>, (u32, String)>;

type Answer = dyn Fn(&Call) -> Outcome + Send + Sync;

/// A running server; it stops when it is dropped.
pub struct GrpcServer {
    at: SocketAddr,
    ca: String,
    runtime: Option<Runtime>,
}

impl GrpcServer {
    /// Starts a server on a free port of loopback.
    pub fn start(answer: impl Fn(&Call) -> Outcome + Send + Sync + 'static) -> Result<Self> {
        let folder = TempDir::new()?;
        let (tls, ca) = trust::server(folder.path())?;
        let mut tls = Arc::unwrap_or_clone(tls);
        tls.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let at = listener.local_addr()?;
        runtime.spawn(accept(listener, acceptor, Arc::new(answer)));
        Ok(Self {
            at,
            ca: std::fs::read_to_string(ca).context("cannot read the test CA")?,
            runtime: Some(runtime),
        })
    }

    /// Host and port.
    pub fn address(&self) -> String {
        format!("localhost:{}", self.at.port())
    }

    /// Its authority in PEM.
    pub fn ca(&self) -> &str {
        &self.ca
    }
}

impl Drop for GrpcServer {
    fn drop(&mut self) {
        // A runtime must not be waited for inside of another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: std::net::TcpListener, acceptor: TlsAcceptor, answer: Arc<Answer>) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, acceptor.clone(), Arc::clone(&answer)));
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, answer: Arc<Answer>) {
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let service = service_fn(move |request| {
        let answer = Arc::clone(&answer);
        async move { Ok::<_, Infallible>(respond(request, &*answer).await) }
    });
    let server = http2::Builder::new(TokioExecutor::new());
    let _ended = server.serve_connection(TokioIo::new(stream), service).await;
}

type Body = http_body_util::combinators::WithTrailers<Full<Bytes>, Trailers>;
type Trailers = std::future::Ready<Option<std::result::Result<HeaderMap, Infallible>>>;

async fn respond(request: Request<Incoming>, answer: &Answer) -> Response<Body> {
    let (head, body) = request.into_parts();
    let is_grpc = head.headers.get(CONTENT_TYPE).is_some_and(|kind| {
        let kind = kind.as_bytes();
        kind.starts_with(b"application/grpc")
    });
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    let message = body.ok().as_ref().and_then(unframed);
    let outcome = match message {
        Some(message) if is_grpc => answer(&Call {
            path: head.uri.path().to_owned(),
            metadata: head.headers,
            message,
        }),
        _ => Err((13, "this is no gRPC".to_owned())),
    };
    let (body, trailers) = match outcome {
        Ok(message) => (framed(&message), status(0, "")),
        Err((code, text)) => (Bytes::new(), status(code, &text)),
    };
    let body = Full::new(body).with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn status(code: u32, text: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("grpc-status", HeaderValue::from(code));
    let escaped: String = text
        .bytes()
        .map(|byte| match byte {
            b' '..=b'~' if byte != b'%' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect();
    if let Ok(value) = HeaderValue::from_str(&escaped) {
        headers.insert("grpc-message", value);
    }
    headers
}

fn framed(message: &[u8]) -> Bytes {
    let mut body = BytesMut::new();
    body.put_u8(0);
    body.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    body.extend_from_slice(message);
    body.freeze()
}

fn unframed(body: &Bytes) -> Option<Bytes> {
    let (prefix, message) = body.split_first_chunk::<5>()?;
    let [compressed, length @ ..] = *prefix;
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    (compressed == 0 && message.len() == length).then(|| body.slice(5..))
}
