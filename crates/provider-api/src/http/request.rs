//! Builds one request. Mistakes (a URL or header that cannot be) are kept and returned by `send`, so
//! that a chain of calls needs one question mark. Credentials are marked sensitive as they go in.

use std::fmt;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use lockstep_golang::base64::{Encoding, encode};
use serde::Serialize;
use zeroize::Zeroizing;

use super::url::encode_component;
use super::{Answer, HttpClient, RedactedUrl};
use crate::error::{Error, Result};
use crate::value::SecretValue;

/// A request being built.
pub struct RequestBuilder {
    client: HttpClient,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Bytes,
    problem: Option<Error>,
}

impl RequestBuilder {
    pub(super) fn new(client: HttpClient, method: Method, url: String) -> Self {
        Self {
            client,
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            problem: None,
        }
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.url
            .push(if self.url.contains('?') { '&' } else { '?' });
        self.url.push_str(&encode_component(name));
        self.url.push('=');
        self.url.push_str(&encode_component(value));
        self
    }

    /// Adds a query parameter where there is a value.
    pub fn query_some(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Sets a header.
    pub fn header(self, name: &str, value: &str) -> Self {
        let value = HeaderValue::from_str(value);
        self.set(name, value.ok())
    }

    /// Sets a header that holds a credential. A final newline, as files tend to have, is dropped.
    pub fn secret_header(self, name: &str, value: &SecretValue) -> Self {
        let value = HeaderValue::from_bytes(value.without_final_newline());
        self.set(name, value.ok().map(sensitive))
    }

    /// Authorizes with a bearer token. A final newline is dropped.
    pub fn bearer(self, token: &SecretValue) -> Self {
        let mut text = Zeroizing::new(b"Bearer ".to_vec());
        text.extend_from_slice(token.without_final_newline());
        self.authorize(&text)
    }

    /// Authorizes with user name and password.
    pub fn basic(self, user: &str, password: &SecretValue) -> Self {
        let mut pair = Zeroizing::new(format!("{user}:").into_bytes());
        pair.extend_from_slice(password.expose());
        let text = Zeroizing::new(format!("Basic {}", encode(Encoding::Standard, &*pair)));
        self.authorize(text.as_bytes())
    }

    /// Sends a JSON body.
    pub fn json(mut self, body: &impl Serialize) -> Self {
        if let Ok(bytes) = serde_json::to_vec(body) {
            return self.body("application/json", bytes);
        }
        self.fail(Error::invalid_data(
            "the body of the request has no JSON form",
        ));
        self
    }

    /// Sends an HTML form.
    pub fn form(self, fields: &[(&str, &str)]) -> Self {
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}={}", encode_component(name), encode_component(value)))
            .collect();
        self.body("application/x-www-form-urlencoded", pairs.join("&"))
    }

    /// Sends a body of any kind.
    pub fn body(mut self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header(CONTENT_TYPE.as_str(), content_type)
    }

    /// Asks for JSON.
    pub fn accept_json(self) -> Self {
        self.header(ACCEPT.as_str(), "application/json")
    }

    /// Sends the request and returns the answer whatever its status.
    pub async fn send(self) -> Result<Answer> {
        let client = self.client.clone();
        client.exchange(self.build()?).await
    }

    /// The request itself.
    pub fn build(self) -> Result<Request<Bytes>> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let uri = parse(&self.url)?;
        let mut request = Request::new(self.body);
        *request.method_mut() = self.method;
        *request.uri_mut() = uri;
        *request.headers_mut() = self.headers;
        Ok(request)
    }

    fn authorize(self, value: &[u8]) -> Self {
        let value = HeaderValue::from_bytes(value).ok().map(sensitive);
        self.set(AUTHORIZATION.as_str(), value)
    }

    fn set(mut self, name: &str, value: Option<HeaderValue>) -> Self {
        match (HeaderName::try_from(name), value) {
            (Ok(name), Some(value)) => {
                self.headers.insert(name, value);
            }
            (Err(_), _) => self.fail(Error::invalid_spec(format!(
                "{name:?} is not a valid header name"
            ))),
            (_, None) => self.fail(Error::invalid_spec(format!(
                "the value for header {name:?} has characters a header cannot have, \
                 such as a line break"
            ))),
        }
        self
    }

    fn fail(&mut self, problem: Error) {
        self.problem.get_or_insert(problem);
    }
}

impl fmt::Debug for RequestBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.parse::<Uri>();
        f.debug_struct("RequestBuilder")
            .field("method", &self.method)
            .field("url", &url.as_ref().ok().map(RedactedUrl::new))
            .field("headers", &self.headers.keys())
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}

fn sensitive(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}

fn parse(url: &str) -> Result<Uri> {
    // Everything before the first slash is scheme, host and port, or nothing that can be reached.
    let begins_with = |scheme: &str| {
        let head = url.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    if !begins_with("http://") && !begins_with("https://") {
        // What stands before an `@` may be a password.
        let host = url.rsplit('@').next().unwrap_or_default();
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        return Err(Error::invalid_spec(format!(
            "the URL {host:?} must begin with http:// or https://; correct the address in the manifest"
        )));
    }
    url.parse()
        .map_err(|error| Error::invalid_spec(format!("the URL is not valid: {error}")))
}
