//! A server: requests with namespace, headers and token, repeated where another try may help. What a
//! path holds is none of its business, so that every engine can be asked through it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lockstep_provider_api::http::{
    Answer, HttpClient, Method, RequestBuilder, StatusCode, Tls, encode_path,
};
use lockstep_provider_api::json::{Value, decode_verbatim};
use lockstep_provider_api::prelude::*;

use crate::error::{self, Failure, Place};
use crate::path::clean;

mod address;
mod patience;

pub use address::{Address, Consistency};
use patience::patience;

/// Longest time that is waited because the server said so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const INDEX: &str = "X-Vault-Index";

/// A connection to a server, without an identity.
#[derive(Debug)]
pub struct Server {
    ctx: Ctx,
    http: HttpClient,
    address: Address,
    index: Mutex<Option<String>>,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Name for the metric.
    pub call: &'static str,
    /// GET, PUT or DELETE.
    pub method: Method,
    /// Path below `/v1`.
    pub path: &'a str,
    /// Query, as written into the URL.
    pub query: Option<String>,
    /// Body in JSON.
    pub body: Option<SecretValue>,
    /// Namespace of the path.
    pub namespace: Option<&'a str>,
    /// Further headers.
    pub headers: &'a [(&'a str, String)],
}

impl<'a> Ask<'a> {
    /// A request without query and body.
    pub fn new(call: &'static str, method: Method, path: &'a str) -> Self {
        Self {
            call,
            method,
            path,
            query: None,
            body: None,
            namespace: None,
            headers: &[],
        }
    }
}

impl Server {
    /// A server at an address. Nothing is sent yet.
    pub fn new(address: Address, ctx: Ctx) -> Result<Self> {
        let tls = Tls {
            ca: address.ca.clone(),
            identity: address.certificate.clone(),
            ..Tls::default()
        };
        Ok(Self {
            http: ctx.http(&tls)?,
            ctx,
            address,
            index: Mutex::default(),
        })
    }

    /// What it was made with.
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn place(&self, ask: &Ask<'_>) -> Place {
        Place {
            method: method_name(&ask.method),
            url: self.url(ask),
            namespace: ask.namespace.map(str::to_owned),
            path: clean(ask.path),
        }
    }

    /// Sends a request and reads the JSON of its answer; `null` for an empty one.
    pub async fn ask(&self, ask: &Ask<'_>, token: Option<&SecretValue>) -> Result<Value, Failure> {
        let asked = Box::pin(self.repeated(ask, token)).await;
        if let Some(metric) = self.address.metric {
            let counted = asked.as_ref().map(|_| ());
            let counted = counted.map_err(|failure| failure.error.duplicate());
            // A missing secret is an answer, as upstream counts.
            let counted = match counted {
                Err(error) if *error.kind() == ErrorKind::NotFound => Ok(()),
                other => other,
            };
            drop(self.ctx.counted(metric, ask.call, counted));
        }
        asked
    }

    async fn repeated(&self, ask: &Ask<'_>, token: Option<&SecretValue>) -> Result<Value, Failure> {
        let (retries, interval) = patience(self.ctx.retry());
        let mut tried = 0;
        loop {
            let failure = match Box::pin(self.once(ask, token)).await {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let told = failure.error.retry_after();
            if tried >= retries
                || !failure.is_passing()
                || told.is_some_and(|delay| delay > LONGEST_WAIT)
            {
                return Err(failure);
            }
            tried += 1;
            self.ctx.time().sleep(told.unwrap_or_else(&interval)).await;
        }
    }

    async fn once(&self, ask: &Ask<'_>, token: Option<&SecretValue>) -> Result<Value, Failure> {
        let place = self.place(ask);
        let sent = self.request(&place.url, ask, token).send().await;
        let mut answer = sent.map_err(error::unsent)?;
        if let Some(other) = Self::redirected(&answer, &place) {
            let sent = self.request(&other, ask, token).send().await;
            answer = sent.map_err(error::unsent)?;
        }
        self.remember(&answer);
        if !answer.status().is_success() {
            return Err(error::refused(&answer, &place));
        }
        if answer.status() == StatusCode::NO_CONTENT || answer.expose_body().is_empty() {
            return Ok(Value::Null);
        }
        decode_verbatim(answer.expose_body()).map_err(|_| {
            error::unsent(Error::invalid_data(format!(
                "{} {}: the answer is not JSON; check the address of the server",
                place.method, place.url
            )))
        })
    }

    fn request(&self, url: &str, ask: &Ask<'_>, token: Option<&SecretValue>) -> RequestBuilder {
        let mut request = self.http.request(ask.method.clone(), url);
        for (name, value) in &self.address.headers {
            request = request.header(name, value);
        }
        request = request.header("X-Vault-Request", "true");
        if let Some(token) = token {
            request = request.secret_header("X-Vault-Token", token);
        }
        if let Some(namespace) = ask.namespace {
            request = request.header("X-Vault-Namespace", namespace);
        }
        for (name, value) in ask.headers {
            request = request.header(name, value);
        }
        if self.address.consistency == Consistency::Forwarded {
            request = request.header("X-Vault-Inconsistent", "forward-active-node");
        }
        let seen = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = seen.as_deref() {
            request = request.header(INDEX, index);
        }
        drop(seen);
        match &ask.body {
            Some(body) => request.body("application/json", body.expose().to_vec()),
            None => request,
        }
    }

    /// Where a standby sends its callers. One step, and never from TLS to plain text.
    fn redirected(answer: &Answer, place: &Place) -> Option<String> {
        if !matches!(answer.status().as_u16(), 301 | 302 | 307) {
            return None;
        }
        let other = answer.header("location")?;
        let downgrade = place.url.starts_with("https://") && !other.starts_with("https://");
        let absolute = other.starts_with("https://") || other.starts_with("http://");
        (absolute && !downgrade).then(|| other.to_owned())
    }

    fn remember(&self, answer: &Answer) {
        if self.address.consistency == Consistency::Eventual {
            return;
        }
        if let Some(index) = answer.header(INDEX) {
            let mut seen = self.index.lock().unwrap_or_else(PoisonError::into_inner);
            *seen = Some(index.to_owned());
        }
    }

    fn url(&self, ask: &Ask<'_>) -> String {
        let server = self.address.server.trim_end_matches('/');
        let path = encode_path(&clean(ask.path));
        match &ask.query {
            Some(query) => format!("{server}/v1/{path}?{query}"),
            None => format!("{server}/v1/{path}"),
        }
    }
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::PUT => "PUT",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => "GET",
    }
}
