//! Reads when a token ends from its own claims. The signature is not checked: the server that made
//! the token was asked directly.

use jiff::Timestamp;
use lockstep_golang::base64::{Encoding, decode};
use lockstep_provider_api::{Error, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Claims {
    exp: Option<serde_json::Number>,
}

/// The claim `exp` as text and as a time.
pub(crate) fn expiry(token: &str) -> Result<(String, Timestamp)> {
    let mut parts = token.split('.');
    let (Some(_), Some(claims), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Error::invalid_data("the token is no JSON web token"));
    };
    let claims = decode(Encoding::RawUrl, claims.as_bytes()).ok();
    let claims = claims.and_then(|json| serde_json::from_slice::<Claims>(&json).ok());
    let exp = claims.and_then(|claims| claims.exp).and_then(seconds);
    exp.and_then(|seconds| Some((seconds.to_string(), Timestamp::from_second(seconds).ok()?)))
        .ok_or_else(|| Error::invalid_data("exp claim not found or wrong type"))
}

/// Whole seconds of a number that may be written as a float.
fn seconds(number: serde_json::Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let text = format!("{:.0}", number.as_f64()?);
        text.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use lockstep_golang::base64::encode;

    use super::*;

    fn token(claims: &str) -> String {
        format!("e30.{}.c2ln", encode(Encoding::RawUrl, claims))
    }

    #[test]
    fn the_claim_is_read_as_integer_and_as_float() {
        for claims in [r#"{"exp":2000000000}"#, r#"{"exp":2e9}"#] {
            let (text, time) = expiry(&token(claims)).unwrap();

            assert_eq!(text, "2000000000");
            assert_eq!(time.as_second(), 2_000_000_000);
        }
    }

    #[test]
    fn a_token_without_the_claim_is_refused() {
        for bad in [&*token("{}"), &*token(r#"{"exp":"x"}"#), "opaque", "a.%.c"] {
            assert!(expiry(bad).is_err(), "{bad}");
        }
    }
}
