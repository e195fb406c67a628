//! The SDK's HTTP client, clock and timer, made of the contract's. So proxies, trust, limits and
//! tests are the same for AWS as for every other backend, and the binary has one TLS stack.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use aws_smithy_async::rt::sleep::{AsyncSleep, Sleep};
use aws_smithy_async::time::TimeSource;
use aws_smithy_runtime_api::client::http::{
    HttpClient as SdkHttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use futures_util::future::{BoxFuture, Either, select};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::http::{HttpClient, Tls, server_of};
use lockstep_provider_api::prelude::*;
use parking_lot::Mutex;

/// Scheme, host and port that an answer came from, for messages.
#[derive(Clone, Debug)]
pub(crate) struct Server(pub(crate) String);

/// Sends the SDK's requests through the contract's transport.
#[derive(Clone)]
pub(crate) struct Wire {
    http: HttpClient,
    time: Arc<dyn Time>,
}

impl Wire {
    pub(crate) fn new(ctx: &Ctx) -> Result<Self> {
        let tls = Tls {
            ca: ctx.file_variable("AWS_CA_BUNDLE")?,
            ..Tls::default()
        };
        Ok(Self {
            http: ctx.http(&tls)?,
            time: ctx.time(),
        })
    }

    async fn exchange(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let request = request
            .try_into_http1x()
            .map_err(|error| ConnectorError::user(error.into()))?;
        let (head, body) = request.into_parts();
        let Some(bytes) = body.bytes() else {
            return Err(ConnectorError::user("the body is a stream".into()));
        };
        let server = Server(server_of(&head.uri));
        let request = http::Request::from_parts(head, Bytes::copy_from_slice(bytes));
        let answer = self.http.send(request).await.map_err(|error| {
            let unreachable = *error.kind() == ErrorKind::Unreachable;
            if unreachable {
                ConnectorError::io(Box::new(error))
            } else {
                ConnectorError::other(Box::new(error), None)
            }
        })?;
        let mut answer = HttpResponse::try_from(answer.map(SdkBody::from))
            .map_err(|error| ConnectorError::other(error.into(), None))?;
        answer.add_extension(server);
        Ok(answer)
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wire")
    }
}

impl SdkHttpClient for Wire {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let limits = [settings.connect_timeout(), settings.read_timeout()];
        SharedHttpConnector::new(Connector {
            wire: self.clone(),
            limit: limits.into_iter().flatten().reduce(|a, b| a + b),
        })
    }
}

/// A wire with a limit on the time of one exchange; the SDK sets one for metadata servers.
#[derive(Debug)]
struct Connector {
    wire: Wire,
    limit: Option<Duration>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (wire, limit) = (self.wire.clone(), self.limit);
        let time = Arc::clone(&wire.time);
        HttpConnectorFuture::new_boxed(Box::pin(async move {
            let exchange = Box::pin(wire.exchange(request));
            let Some(limit) = limit else {
                return exchange.await;
            };
            match select(exchange, time.sleep(limit)).await {
                Either::Left((answer, _)) => answer,
                Either::Right(_) => {
                    let text = format!("no answer within {} s", limit.as_secs_f32());
                    Err(ConnectorError::timeout(text.into()))
                }
            }
        }))
    }
}

/// The contract's clock and timer as the SDK takes them.
#[derive(Clone)]
pub(crate) struct Clock(Arc<dyn Time>);

impl Clock {
    pub(crate) fn new(ctx: &Ctx) -> Self {
        Self(ctx.time())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl TimeSource for Clock {
    fn now(&self) -> SystemTime {
        self.0.now().into()
    }
}

impl AsyncSleep for Clock {
    fn sleep(&self, delay: Duration) -> Sleep {
        Sleep::new(Exclusive(Mutex::new(self.0.sleep(delay))))
    }
}

/// A future that may be shared between threads because only its owner can poll it.
struct Exclusive(Mutex<BoxFuture<'static, ()>>);

impl Future for Exclusive {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let sleep = self.get_mut().0.get_mut();
        sleep.as_mut().poll(context)
    }
}
