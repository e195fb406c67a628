//! Requests to token endpoints: bounded in time, their answers read in the two notations that
//! Google has, their refusals told without the assertion that was sent.

use std::future::Future;
use std::time::Duration;

use futures_util::future::{Either, select};
use lockstep_provider_api::http::{Answer, HttpClient, RequestBuilder, Tls, kind_of};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;
use serde::Deserialize;
use serde_json::Value;

/// Longest time a token endpoint may take.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Longest explanation of a refusal that is repeated.
const MAX_MESSAGE: usize = 300;
/// Seconds that a token lives which does not say how long it is good for.
pub const UNSAID: u64 = 300;

/// A client for token endpoints.
pub fn client(ctx: &Ctx) -> Result<HttpClient> {
    ctx.http(&Tls::default())
}

/// Sends a request to a token endpoint.
pub async fn send(what: &str, request: RequestBuilder, ctx: &Ctx) -> Result<Answer> {
    within(PATIENCE, what, request.accept_json().send(), ctx).await
}

/// The outcome of `work`, unless it takes too long.
pub async fn within<T>(
    limit: Duration,
    what: &str,
    work: impl Future<Output = Result<T>> + Send,
    ctx: &Ctx,
) -> Result<T> {
    let work = std::pin::pin!(work);
    match select(work, ctx.time().sleep(limit)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => Err(Error::unreachable(format!(
            "{what} did not answer within {} s",
            limit.as_secs()
        ))),
    }
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: Value,
}

/// The token in an answer of an OAuth2 token endpoint.
pub fn granted(answer: &Answer, what: &str, ctx: &Ctx) -> Result<AccessToken> {
    let granted: Granted = answer.json()?;
    if granted.access_token.is_empty() {
        return Err(Error::invalid_data(format!("{what} gave no access token")));
    }
    // A number, but some servers put it into a text.
    let seconds = match &granted.expires_in {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    };
    let seconds = seconds.unwrap_or(UNSAID);
    let value = SecretValue::from(granted.access_token);
    Ok(AccessToken::lasting(value, seconds, ctx.now()))
}

/// Why a token endpoint refused, in its own words.
pub struct Refusal {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// A word such as `invalid_grant`; empty where none came.
    pub code: String,
    /// The explanation; empty where none came.
    pub text: String,
    /// The status.
    pub status: u16,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    error: Value,
    error_description: String,
}

/// The refusal that an answer is, if it is one.
pub fn refusal(answer: &Answer) -> Option<Refusal> {
    let by_status = kind_of(answer.status())?;
    let body: Body = serde_json::from_slice(answer.expose_body()).unwrap_or_default();
    let member = |name: &str| body.error.get(name).and_then(Value::as_str);
    // OAuth2 has a word and a sentence, Google's own services have an object.
    let code = body.error.as_str().or_else(|| member("status"));
    let code = code.unwrap_or_default().to_owned();
    let text = member("message").unwrap_or(&body.error_description);
    let text = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_MESSAGE)
        .collect();
    let kind = match (code.as_str(), by_status) {
        ("invalid_grant" | "invalid_client" | "unauthorized_client", _) => {
            ErrorKind::Unauthenticated
        }
        // An endpoint or an account that is not there is no missing secret.
        (_, ErrorKind::NotFound) => ErrorKind::InvalidSpec,
        (_, kind) => kind,
    };
    Some(Refusal {
        kind,
        code,
        text,
        status: answer.status().as_u16(),
    })
}

impl Refusal {
    /// The refusal as an error with this text; a time that the server asked for stays.
    pub fn error(&self, text: String, answer: &Answer) -> Error {
        let error = Error::new(self.kind.clone(), text).advised();
        let told = answer.error().and_then(|error| error.retry_after());
        match told {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        }
    }
}
