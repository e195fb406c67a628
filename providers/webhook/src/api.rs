//! One call to the endpoint: templates rendered, the request sent within its time, redirects
//! followed, the answer judged. What the answer means is decided in `result`.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{Method, Request, Response};
use lockstep_provider_api::http::{HttpClient, Tls, server_of};
use lockstep_provider_api::prelude::*;

use crate::redirect::{LIMIT, Sent};
use crate::spec::WebhookSpec;
use crate::template::{Data, Text};
use crate::{address, error};

const PROVIDER: &str = "Webhook";
const CALL: &str = "HTTPRequest";

/// The endpoint with its templates.
#[derive(Debug)]
pub(crate) struct Api {
    http: HttpClient,
    ctx: Ctx,
    method: Option<Method>,
    url: Text,
    headers: Vec<(String, Text)>,
    body: Option<Text>,
    timeout: Option<Duration>,
}

/// The data of one call: values escaped for the URL, and as they are for everything else.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) escaped: Data,
    pub(crate) raw: Data,
    /// What is sent where the store has no body.
    pub(crate) body: Vec<u8>,
    /// The endpoint in error texts.
    pub(crate) what: &'static str,
}

impl Api {
    /// Parses the templates; connects with the first call.
    pub(crate) fn new(spec: &WebhookSpec, tls: &Tls, ctx: Ctx) -> Result<Self> {
        let headers = spec.headers.iter().flatten();
        let body = spec.body.as_deref().filter(|body| !body.is_empty());
        Ok(Self {
            http: ctx.http(tls)?,
            method: spec.method()?,
            url: Text::new(&spec.url),
            headers: headers
                .map(|(name, value)| (name.clone(), Text::new(value)))
                .collect(),
            body: body.map(Text::new),
            timeout: spec.timeout()?,
            ctx,
        })
    }

    /// The store's method, else the one given.
    pub(crate) fn method_or(&self, default: Method) -> Method {
        self.method.clone().unwrap_or(default)
    }

    /// Makes a call and returns the answer's body.
    pub(crate) async fn call(&self, call: Call) -> Result<SecretValue> {
        let what = call.what;
        let request = self.request(call)?;
        let server = server_of(request.uri());
        let answered = self.within(&server, self.exchange(request)).await;
        let answered = answered.map_err(|error| error.context("failed to call endpoint"));
        let answer = self.ctx.counted(PROVIDER, CALL, answered)?;
        match error::of_answer(&answer, self.ctx.now(), what) {
            Some(error) => Err(error::at(&server, error)),
            None => Ok(SecretValue::new(answer.into_body().into())),
        }
    }

    fn request(&self, call: Call) -> Result<Request<Bytes>> {
        let url = self
            .url
            .text(&call.escaped)
            .map_err(|error| error.context("failed to parse url"))?;
        let body = match &self.body {
            Some(body) if call.method != Method::DELETE => body
                .bytes(&call.raw)
                .map_err(|error| error.context("failed to parse body"))?,
            _ => call.body,
        };
        let mut builder = self.http.request(call.method, address::escape(&url));
        for (name, value) in &self.headers {
            // The address names the host; Go drops this header too.
            if name.eq_ignore_ascii_case("host") {
                continue;
            }
            let value = value
                .bytes(&call.raw)
                .map_err(|error| error.context(format!("failed to parse header {name}")))?;
            builder = builder.secret_header(name, &SecretValue::new(value));
        }
        let mut request = builder
            .build()
            .map_err(|error| error.context("failed to create request"))?;
        *request.body_mut() = Bytes::from(body);
        Ok(request)
    }

    async fn exchange(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>> {
        for _ in 0..=LIMIT {
            let sent = Sent::of(&request);
            let answer = self.http.send(request).await.map_err(error::of_wire)?;
            match sent.next(&answer)? {
                Some(next) => request = next,
                None => return Ok(answer),
            }
        }
        Err(Error::invalid_data(format!(
            "stopped after {LIMIT} redirects"
        )))
    }

    async fn within(
        &self,
        server: &str,
        call: impl Future<Output = Result<Response<Bytes>>>,
    ) -> Result<Response<Bytes>> {
        let Some(limit) = self.timeout else {
            return call.await;
        };
        let patience = self.ctx.time().sleep(limit);
        match select(Box::pin(call), patience).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(Error::unreachable(format!(
                "no answer from {server} within the store's timeout of {limit:?}"
            ))),
        }
    }
}
