//! HTTP without a wire: transports that answer from a function, and one around any transport that
//! can be told to fail, stall or count.

use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use futures_util::future::{BoxFuture, pending, poll_fn};
use http::{Request, Response};
use parking_lot::{Mutex, MutexGuard};

use super::probe::CANARY;
use super::subject::Faults;
use crate::error::{Error, Result};
use crate::http::{Tls, Transport, Transports};

/// A transport whose answers a function makes.
pub fn scripted<F>(answer: F) -> Arc<dyn Transport>
where
    F: Fn(Request<Bytes>) -> Response<Bytes> + Send + Sync + 'static,
{
    Arc::new(Scripted(answer))
}

/// An answer with a status and a body.
pub fn response(status: u16, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    if let Ok(status) = http::StatusCode::from_u16(status) {
        *response.status_mut() = status;
    }
    response
}

/// The refusal of a gRPC server that means what an HTTP status means, for [`super::Subject::refusal`].
pub fn grpc_refusal(status: u16) -> Response<Bytes> {
    let code = match status {
        401 => 16,
        403 => 7,
        404 => 5,
        409 => 10,
        429 => 8,
        502..=504 => 14,
        _ => 13,
    };
    let mut refusal = response(200, format!("{CANARY} in a message"));
    let headers = refusal.headers_mut();
    headers.insert("grpc-status", http::HeaderValue::from(code));
    headers.insert("grpc-message", http::HeaderValue::from_static("no"));
    refusal
}

struct Scripted<F>(F);

impl<F> Transport for Scripted<F>
where
    F: Fn(Request<Bytes>) -> Response<Bytes> + Send + Sync,
{
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>>> {
        Box::pin(async move { Ok((self.0)(request)) })
    }
}

/// What is to go wrong on the wire.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The server answers this.
    Answer(Response<Bytes>),
    /// The connection breaks before an answer.
    Drop,
    /// The answer comes, but only after the request was polled once in vain.
    Stall,
    /// No answer ever comes.
    Hang,
}

/// A transport around another that misbehaves on demand. Also the [`Transports`] that hands it out.
#[derive(Clone)]
pub struct Wire {
    inner: Arc<dyn Transport>,
    state: Arc<Mutex<State>>,
    spared: &'static [&'static str],
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    /// Number of requests that still pass before the fault strikes.
    passing: usize,
    sent: usize,
}

impl Wire {
    /// A wire to `inner`.
    pub fn new(inner: Arc<dyn Transport>) -> Self {
        Self {
            inner,
            state: Arc::default(),
            spared: &[],
        }
    }

    /// The same wire; requests to these hosts, or to paths below a host that begin so, neither fail
    /// nor count.
    pub fn sparing(mut self, hosts: &'static [&'static str]) -> Self {
        self.spared = hosts;
        self
    }

    /// A wire to nowhere: every request is answered 501.
    pub fn unplugged() -> Self {
        Self::new(scripted(|_| response(501, Bytes::new())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn spares(&self, request: &Request<Bytes>) -> bool {
        let host = request.uri().host().unwrap_or_default();
        let at = format!("{host}{}", request.uri().path());
        let mut spared = self.spared.iter();
        spared.any(|name| *name == host || (name.contains('/') && at.starts_with(name)))
    }

    fn next_fault(&self) -> Option<Fault> {
        let mut state = self.state();
        state.sent += 1;
        if state.passing > 0 {
            state.passing -= 1;
            return None;
        }
        state.fault.clone()
    }
}

impl Transport for Wire {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>>> {
        Box::pin(async move {
            if self.spares(&request) {
                return self.inner.send(request).await;
            }
            match self.next_fault() {
                Some(Fault::Answer(response)) => Ok(response),
                Some(Fault::Drop) => {
                    Err(Error::unreachable("connection reset by peer").unconnected())
                }
                Some(Fault::Stall) => {
                    stall().await;
                    self.inner.send(request).await
                }
                Some(Fault::Hang) => pending().await,
                None => self.inner.send(request).await,
            }
        })
    }
}

impl Faults for Wire {
    fn fail_after(&self, passing: usize, fault: Fault) {
        let mut state = self.state();
        state.fault = Some(fault);
        state.passing = passing;
    }

    fn heal(&self) {
        let mut state = self.state();
        state.fault = None;
        state.passing = 0;
    }

    fn sent(&self) -> usize {
        self.state().sent
    }
}

impl Transports for Wire {
    fn connect(&self, _tls: &Tls) -> Result<Arc<dyn Transport>> {
        Ok(Arc::new(self.clone()))
    }

    fn reach<'a>(&'a self, _host: &'a str, _port: u16) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            match self.state().fault {
                Some(Fault::Drop) => Err(Error::unreachable("connection refused").unconnected()),
                _ => Ok(()),
            }
        })
    }
}

async fn stall() {
    let mut polled = false;
    poll_fn(|context| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
