//! Opens TCP connections, straight or through a proxy. Plain HTTP goes to the proxy in absolute
//! form, HTTPS through a `CONNECT` tunnel. Loopback addresses and the link-local ones of metadata
//! servers are never sent to a proxy.

use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::{Service, ServiceExt};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Proxies to use, as the usual environment variables spell them; empty means none.
#[derive(Clone, Default)]
pub struct Proxy {
    /// Value of `HTTP_PROXY`.
    pub http: String,
    /// Value of `HTTPS_PROXY`.
    pub https: String,
    /// Value of `NO_PROXY`.
    pub no: String,
}

/// Opens connections for HTTP clients.
#[derive(Clone)]
pub struct Connector {
    tcp: HttpConnector,
    proxy: Option<Arc<Matcher>>,
}

impl Connector {
    /// A connector that gives up on a TCP connection after `timeout`.
    pub fn new(proxy: &Proxy, timeout: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(timeout));
        tcp.set_keepalive(Some(Duration::from_secs(30)));
        let wanted = !proxy.http.is_empty() || !proxy.https.is_empty();
        let matcher = wanted.then(|| {
            let builder = Matcher::builder();
            let builder = builder.http(proxy.http.clone()).https(proxy.https.clone());
            Arc::new(builder.no(proxy.no.clone()).build())
        });
        Self {
            tcp,
            proxy: matcher,
        }
    }

    /// What a plain HTTP request to `target` must carry for the proxy it goes through.
    pub fn proxy_authorization(&self, target: &Uri) -> Option<HeaderValue> {
        if target.scheme_str() != Some("http") {
            return None;
        }
        self.intercept(target)?.basic_auth().cloned()
    }

    /// The proxy that requests to `target` go through, without its credentials.
    pub fn proxy_of(&self, target: &Uri) -> Option<String> {
        let proxy = self.intercept(target)?.uri().clone();
        let scheme = proxy.scheme_str().unwrap_or("http");
        let host = proxy.host().unwrap_or("?");
        Some(match proxy.port_u16() {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        })
    }

    fn intercept(&self, target: &Uri) -> Option<Intercept> {
        let matcher = self.proxy.as_ref()?;
        let host = target.host()?.trim_start_matches('[').trim_end_matches(']');
        if host.parse::<IpAddr>().is_ok_and(is_near) || host.eq_ignore_ascii_case("localhost") {
            return None;
        }
        matcher.intercept(target)
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Stream, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let tcp = self.tcp.clone();
        let Some(intercept) = self.intercept(&target) else {
            return tcp
                .oneshot(target)
                .map(|opened| Ok(Stream::new(opened?, false)))
                .boxed();
        };
        async move {
            let proxy = intercept.uri().clone();
            if proxy.scheme_str() != Some("http") {
                let text = "the proxy's address must start with http://";
                return Err(io::Error::new(io::ErrorKind::Unsupported, text).into());
            }
            if target.scheme_str() == Some("http") {
                return Ok(Stream::new(tcp.oneshot(proxy).await?, true));
            }
            let mut tunnel = Tunnel::new(proxy, tcp);
            if let Some(authorization) = intercept.basic_auth() {
                tunnel = tunnel.with_auth(authorization.clone());
            }
            Ok(Stream::new(tunnel.oneshot(target).await?, false))
        }
        .boxed()
    }
}

/// Whether an address is of this machine or of its own metadata server, which no proxy can reach.
fn is_near(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_link_local(),
        // The metadata server of AWS has a unique local address.
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unicast_link_local() || ip == AWS_METADATA,
    }
}

/// `fd00:ec2::254`
const AWS_METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// An open connection that knows whether requests on it go to a proxy.
pub struct Stream {
    io: TokioIo<TcpStream>,
    proxied: bool,
}

impl Stream {
    fn new(io: TokioIo<TcpStream>, proxied: bool) -> Self {
        Self { io, proxied }
    }

    fn io(self: Pin<&mut Self>) -> Pin<&mut TokioIo<TcpStream>> {
        Pin::new(&mut self.get_mut().io)
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.proxied)
    }
}

impl Read for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        self.io().poll_read(context, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.io().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.io().poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.io().poll_write_vectored(context, buffers)
    }
}

#[cfg(test)]
impl Connector {
    pub(crate) fn intercepted(&self, target: &Uri) -> bool {
        self.intercept(target).is_some()
    }
}
