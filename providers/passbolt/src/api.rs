//! Requests as Passbolt wants them: the session's cookies and the token against forged requests on
//! each, and every answer in an envelope. What the answers mean is decided elsewhere.

use lockstep_provider_api::http::{Answer, Method, RequestBuilder};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error;

/// The cookie that holds the token against forged requests.
const CSRF: &str = "csrfToken";

/// One browser, so to say: what the server told it to send.
pub(crate) struct Api {
    rest: Rest,
    session: Option<Cookie>,
    csrf: Mutex<Option<SecretValue>>,
}

/// A cookie the server set.
pub(crate) struct Cookie {
    pub(crate) name: String,
    pub(crate) value: SecretValue,
}

#[derive(Deserialize)]
struct Envelope<T> {
    body: T,
}

impl Api {
    /// A browser without cookies.
    pub(crate) fn new(rest: Rest) -> Self {
        Self {
            rest,
            session: None,
            csrf: Mutex::new(None),
        }
    }

    /// Sends the session's cookie from now on.
    pub(crate) fn set_session(&mut self, cookie: Cookie) {
        self.session = Some(cookie);
    }

    /// The context of the store.
    pub(crate) fn ctx(&self) -> &Ctx {
        self.rest.ctx()
    }

    /// Begins a request.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.rest.request(method, path)
    }

    /// What is at a path.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        call: &'static str,
        path: &str,
    ) -> Result<T> {
        let request = self.request(Method::GET, path);
        let answer = self.send(call, request, error::check).await?;
        body(&answer)
    }

    /// Sends a request with what the server told to send.
    pub(crate) async fn send(
        &self,
        call: &'static str,
        request: RequestBuilder,
        check: fn(Answer) -> Result<Answer>,
    ) -> Result<Answer> {
        let request = self.signed(request.accept_json())?;
        let keep = |answer: Answer| {
            self.keep_csrf(&answer);
            check(answer)
        };
        self.rest.send(call, request, keep).await
    }

    fn signed(&self, request: RequestBuilder) -> Result<RequestBuilder> {
        let mut cookies = Vec::new();
        if let Some(Cookie { name, value }) = &self.session {
            cookies.push(format!("{name}={}", value.expose_utf8()?));
        }
        let mut request = request;
        if let Some(token) = &*self.csrf.lock() {
            cookies.push(format!("{CSRF}={}", token.expose_utf8()?));
            request = request.secret_header("x-csrf-token", token);
        }
        if cookies.is_empty() {
            return Ok(request);
        }
        Ok(request.secret_header("cookie", &SecretValue::from(cookies.join("; "))))
    }

    /// The first token holds for the whole session.
    fn keep_csrf(&self, answer: &Answer) {
        let mut csrf = self.csrf.lock();
        if csrf.is_none() {
            *csrf = cookie(answer, &[CSRF]).map(|cookie| cookie.value);
        }
    }
}

/// The last of these cookies that an answer sets.
pub(crate) fn cookie(answer: &Answer, names: &[&str]) -> Option<Cookie> {
    let set = answer.headers().get_all("set-cookie").iter();
    let pairs = set.filter_map(|header| header.to_str().ok()?.split(';').next()?.split_once('='));
    let mut wanted = pairs.filter(|(name, _)| names.contains(&name.trim()));
    let (name, value) = wanted.next_back()?;
    Some(Cookie {
        name: name.trim().to_owned(),
        value: SecretValue::from(value.trim()),
    })
}

/// The body of an answer in its envelope.
pub(crate) fn body<T: DeserializeOwned>(answer: &Answer) -> Result<T> {
    Ok(answer.json::<Envelope<T>>()?.body)
}
