//! Sends requests to one API server: puts address, credentials and body together, counts the call
//! and decodes the answer. Knows no resource.

use http::header::{HeaderName, HeaderValue};
use http::{Method, Request};
use lockstep_provider_api::http::HttpClient;
use lockstep_provider_api::prelude::*;
use serde::de::DeserializeOwned;

use crate::access::{Access, Login};
use crate::error;

/// A signed-in client.
#[derive(Debug)]
pub struct Client {
    /// Name of the provider in the request metric.
    provider: &'static str,
    http: HttpClient,
    server: String,
    login: Login,
    impersonation: Vec<(HeaderName, HeaderValue)>,
    ctx: Ctx,
}

/// One request before it is sent.
#[derive(Debug)]
pub struct Call<'a> {
    /// Name in the request metric; `None` for a request upstream does not count.
    name: Option<&'static str>,
    method: Method,
    path: &'a str,
    /// Plural name of what is asked for; only a 404 that names it is absence.
    about: &'a str,
    query: Vec<(&'static str, &'a str)>,
    body: Option<Vec<u8>>,
}

impl<'a> Call<'a> {
    /// A call of the given metric name.
    pub fn new(name: Option<&'static str>, method: Method, path: &'a str) -> Self {
        Self {
            name,
            method,
            path,
            about: "",
            query: Vec::new(),
            body: None,
        }
    }

    /// Says which resource is asked for, by its plural name: a 404 that names it means that the
    /// object does not exist.
    pub fn about(mut self, resource: &'a str) -> Self {
        self.about = resource;
        self
    }

    /// Adds a query parameter; an empty value leaves it out.
    pub fn query(mut self, name: &'static str, value: &'a str) -> Self {
        if !value.is_empty() {
            self.query.push((name, value));
        }
        self
    }

    /// Adds a JSON body.
    pub fn body(mut self, json: Vec<u8>) -> Self {
        self.body = Some(json);
        self
    }
}

impl Client {
    /// A client with the given access; connects with the first request. `provider` is the name that
    /// counted calls have in the request metric.
    pub fn new(provider: &'static str, access: Access, ctx: Ctx) -> Result<Self> {
        let http = ctx
            .http(&access.tls)
            .map_err(|error| error.context("error configuring clientset"))?;
        Ok(Self {
            provider,
            http,
            server: access.server,
            login: access.login,
            impersonation: access.impersonation,
            ctx,
        })
    }

    /// Sends a call and decodes its answer.
    pub async fn run<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T> {
        let name = call.name;
        let result = self.exchange(call).await;
        match name {
            Some(name) => self.ctx.counted(self.provider, name, result),
            None => result,
        }
    }

    async fn exchange<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T> {
        let about = call.about;
        let answer = self.http.send(self.request(call)?).await?;
        if let Some(error) = error::of_answer(&answer, about, self.ctx.now()) {
            return Err(error);
        }
        // A parser's message may quote the answer, so the error names only the position.
        serde_json::from_slice(answer.body()).map_err(|error| {
            Error::invalid_data(format!(
                "the answer is not what a Kubernetes API server sends, see line {} column {}",
                error.line(),
                error.column()
            ))
        })
    }

    fn request(&self, call: Call<'_>) -> Result<Request<bytes::Bytes>> {
        let url = format!("{}{}", self.server, call.path);
        let mut builder = self.http.request(call.method, url).accept_json();
        for (name, value) in call.query {
            builder = builder.query(name, value);
        }
        builder = match &self.login {
            Login::Anonymous => builder,
            Login::Bearer(token) => builder.bearer(token),
            Login::Basic(user, password) => builder.basic(user, password),
        };
        if let Some(body) = call.body {
            builder = builder.body("application/json", body);
        }
        let mut request = builder.build()?;
        for (name, value) in &self.impersonation {
            request.headers_mut().append(name, value.clone());
        }
        Ok(request)
    }
}
