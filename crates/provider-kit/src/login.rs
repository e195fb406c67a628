//! What sign-ins answer: the token answer of OAuth 2.0, and session cookies. Who is asked with which
//! credentials is the provider's affair; keeping the token is [`crate::Session`]'s.

use std::time::Duration;

use http::header::SET_COOKIE;
use jiff::Timestamp;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    expires_in: Value,
}

/// The token of an OAuth 2.0 answer. `expires_in` may be a number or text; a token without one is
/// believed for `default`.
pub fn oauth2_token(answer: &Answer, default: Duration, now: Timestamp) -> Result<AccessToken> {
    let token: TokenAnswer = answer.json()?;
    let seconds = match &token.expires_in {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let seconds = seconds.unwrap_or(default.as_secs());
    Ok(AccessToken::lasting(
        SecretValue::from(token.access_token),
        seconds,
        now,
    ))
}

/// The cookies an answer sets, as a `Cookie` header sends them back; attributes are left out.
pub fn cookies(answer: &Answer) -> Result<SecretValue> {
    let set = answer.headers().get_all(SET_COOKIE).iter();
    let pairs: Vec<&str> = set
        .filter_map(|value| value.to_str().ok())
        .filter_map(|text| text.split(';').next())
        .map(str::trim)
        .collect();
    if pairs.is_empty() {
        return Err(Error::invalid_data("the sign-in set no session cookie"));
    }
    Ok(SecretValue::from(pairs.join("; ")))
}
