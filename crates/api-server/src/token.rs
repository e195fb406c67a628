//! How long a ServiceAccount token lasts. The API server may grant less or more than was asked
//! for, and says so only inside the token; nothing here checks a signature.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lockstep_provider_api::SecretValue;
use serde::Deserialize;

#[derive(Deserialize)]
struct Claims {
    iat: u64,
    exp: u64,
}

/// When a token should be replaced: after four fifths of its life, so that a slow renewal still
/// finds the old one valid.
pub(crate) fn renew_after(token: &SecretValue, asked: Duration) -> Duration {
    lifetime(token).unwrap_or(asked) * 4 / 5
}

/// Issue and expiry are compared with each other, so our own clock may be wrong.
fn lifetime(token: &SecretValue) -> Option<Duration> {
    let payload = token.expose().split(|byte| *byte == b'.').nth(1)?;
    let json = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let claims: Claims = serde_json::from_slice(&json).ok()?;
    let seconds = claims.exp.checked_sub(claims.iat)?;
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn token(claims: &str) -> SecretValue {
        SecretValue::from(format!("head.{}.sign", URL_SAFE_NO_PAD.encode(claims)))
    }

    #[test]
    fn a_token_is_renewed_after_four_fifths_of_the_life_it_was_granted() {
        let granted = token(r#"{"iat":1000,"exp":1600,"sub":"x"}"#);

        assert_eq!(renew_after(&granted, HOUR), Duration::from_mins(8));
    }

    #[test]
    fn a_token_that_does_not_tell_its_life_is_taken_to_have_the_one_asked_for() {
        for opaque in ["admintoken", "a.b.c", ""] {
            let wait = renew_after(&SecretValue::from(opaque), HOUR);
            assert_eq!(wait, Duration::from_mins(48), "{opaque}");
        }
        assert_eq!(
            renew_after(&token(r#"{"iat":5,"exp":5}"#), HOUR),
            Duration::from_mins(48)
        );
    }
}
