//! What the cloud demands of a signed proof: the known key, the salted signature, the right names, and
//! a time that is now.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{ACCOUNT, KEY_ID};
use crate::gcp::Keys;

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

/// The account that signed a proof, or why it is refused.
pub(super) fn account(proof: &str) -> Result<String, String> {
    let keys = Keys::of_test_account();
    let Some((header, claims)) = keys.ps256(proof) else {
        return Err("JWT signature is invalid".to_owned());
    };
    if header["alg"] != "PS256" || header["kid"] != KEY_ID {
        return Err(format!("JWT header is wrong: {header}"));
    }
    let audience = "https://iam.api.cloud.yandex.net/iam/v1/tokens";
    let is_for_us = claims["aud"] == audience || claims["aud"][0] == audience;
    let number = |name: &str| claims[name].as_i64().unwrap_or_default();
    let is_now = (number("iat") - now()).abs() < 300 && number("exp") > now();
    let is_short = number("exp") - number("iat") <= 3600;
    match claims["iss"].as_str() {
        Some(ACCOUNT) if is_for_us && is_now && is_short => Ok(ACCOUNT.to_owned()),
        _ => Err(format!("JWT claims are wrong: {claims}")),
    }
}
