//! Unary calls of gRPC over the contract's HTTP transport: one message there, one back, the outcome in
//! trailers. What a status means is in `status`, how a message stands in a body in `frame`. There is no
//! streaming, no compression and no second TLS stack.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, TE, USER_AGENT};
use http::{Method, Uri, Version};
use lockstep_provider_api::http::{Answer, HttpClient, Tls};
use lockstep_provider_api::prelude::*;
use prost::Message;

use crate::auth::{Anonymous, Authenticator, Request};

mod frame;
pub mod parts;
mod status;

#[cfg(test)]
mod tests;

pub use status::{Code, Status};

/// The header that tells a server how long the caller waits.
const TIMEOUT: &str = "grpc-timeout";
/// As long as the transport waits for an answer.
const PATIENCE: HeaderValue = HeaderValue::from_static("60S");
const GRPC: HeaderValue = HeaderValue::from_static("application/grpc");
/// gRPC is spoken over TLS, on this port unless an address says otherwise.
const PORT: u16 = 443;

/// A method of a service.
#[derive(Clone, Copy, Debug)]
pub struct Rpc {
    /// `/package.Service/Method`.
    pub path: &'static str,
    /// The metric's label.
    pub call: &'static str,
}

/// A channel to one server. Clones share credentials; connections are pooled by the transport.
#[derive(Clone)]
pub struct Channel {
    ctx: Ctx,
    provider: &'static str,
    http: HttpClient,
    base: String,
    auth: Arc<dyn Authenticator>,
}

impl Channel {
    /// A channel without credentials to `host` or `host:port`, as the named field or answer spells it.
    /// `provider` is the metric's label.
    pub fn new(
        ctx: &Ctx,
        provider: &'static str,
        (field, target): (&str, &str),
        tls: &Tls,
    ) -> Result<Self> {
        Ok(Self {
            ctx: ctx.clone(),
            provider,
            http: ctx.http(tls)?,
            base: base(field, target)?,
            auth: Arc::new(Anonymous),
        })
    }

    /// The same channel with credentials on every call.
    pub fn signed(mut self, auth: impl Authenticator + 'static) -> Self {
        self.auth = Arc::new(auth);
        self
    }

    /// Makes a call. An error has the kind of its status, the text Go's client gives it, and the
    /// [`Status`] itself as its source.
    pub async fn call<Q, A>(&self, rpc: Rpc, question: &Q) -> Result<A>
    where
        Q: Message,
        A: Message + Default,
    {
        let answer = self.exchange(rpc, question.encode_to_vec()).await;
        let answer = answer.and_then(|message| {
            A::decode(message).map_err(|_| {
                Status::new(
                    Code::Internal,
                    "grpc: failed to unmarshal the received message",
                )
                .into_error(ErrorKind::InvalidData)
            })
        });
        self.ctx.counted(self.provider, rpc.call, answer)
    }

    /// A refused token is dropped and the call repeated once with a new one: it may have been
    /// revoked before its end. A second refusal is the backend's word.
    async fn exchange(&self, rpc: Rpc, message: Vec<u8>) -> Result<Bytes> {
        let request = self.request(rpc, message)?;
        let mut first = request.clone();
        let used = self.auth.authorize(&mut first).await?;
        let answer = self.send(first).await;
        let refused = matches!(&answer, Err(error) if error.kind() == &ErrorKind::Unauthenticated);
        let Some(token) = used.filter(|_| refused) else {
            return answer;
        };
        self.auth.forget(&token);
        let mut second = request;
        self.auth.authorize(&mut second).await?;
        self.send(second).await
    }

    fn request(&self, rpc: Rpc, message: Vec<u8>) -> Result<Request> {
        let uri: Uri = format!("{}{}", self.base, rpc.path)
            .parse()
            .map_err(|_| Error::invalid_spec(format!("{} is no address", self.base)))?;
        let mut request = Request::new(frame::encode(&message));
        *request.method_mut() = Method::POST;
        *request.version_mut() = Version::HTTP_2;
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, GRPC);
        headers.insert(TE, HeaderValue::from_static("trailers"));
        headers.insert(TIMEOUT, PATIENCE);
        headers.insert(USER_AGENT, HeaderValue::from_static("external-secrets"));
        Ok(request)
    }

    async fn send(&self, request: Request) -> Result<Bytes> {
        match self.http.exchange(request).await {
            Ok(answer) => received(&answer),
            Err(error) => Err(unanswered(error)),
        }
    }
}

/// The message of an answer, or the error its status stands for.
fn received(answer: &Answer) -> Result<Bytes> {
    match status::refusal(answer) {
        Some(error) => Err(error),
        None => frame::decode(answer.expose_body()),
    }
}

/// No answer came. Kind and mark of the transport's error stay.
fn unanswered(error: Error) -> Error {
    let status = Status::new(Code::Unavailable, error.to_string());
    let text = status.to_string();
    error.map_message(|_| text).with_source(status)
}

fn base(field: &str, target: &str) -> Result<String> {
    let refused = || {
        Error::invalid_spec(format!(
            "{field} must be a host with an optional port, without a scheme: {target:?}"
        ))
    };
    let uri: Uri = format!("https://{target}").parse().map_err(|_| refused())?;
    let host = uri.host().filter(|host| !host.is_empty());
    let is_bare = uri.path_and_query().is_none_or(|path| path == "/") && !target.ends_with('/');
    let is_bare = is_bare && !target.contains('@');
    let host = host.filter(|_| is_bare).ok_or_else(refused)?;
    let port = uri.port_u16().unwrap_or(PORT);
    Ok(format!("https://{host}:{port}"))
}
