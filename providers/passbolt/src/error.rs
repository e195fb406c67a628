//! What an answer of Passbolt means. Every answer says in its own header whether it is a success,
//! also where the HTTP status is 200. Only the server's one-line message is shown.

use lockstep_provider_api::http::{Answer, StatusCode, kind_of};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

/// What Passbolt says to the first half of a sign-in, which is no failure.
const CHALLENGED: &str = "The authentication failed.";

#[derive(Default, Deserialize)]
struct Envelope {
    #[serde(default)]
    header: Header,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Header {
    status: String,
    message: String,
    url: String,
    code: u16,
}

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let Ok(Envelope { header }) = answer.json::<Envelope>() else {
        let status = answer.status().as_u16();
        let text = format!(
            "doing Request: unable to Parse JSON API Response with HTTP Status Code {status}"
        );
        return Err(match answer.error() {
            Some(error) => error.map_message(|_| text),
            None => Error::invalid_data(text),
        });
    };
    if header.status == "success" && answer.status().is_success() {
        return Ok(answer);
    }
    if header.code == 403 && header.url.ends_with("/mfa/verify/error.json") {
        let text = "MFA callback is not defined: the server asks this user for a second factor, \
                    which an operator cannot give";
        return Err(Error::new(ErrorKind::Denied, text).advised());
    }
    Err(refused(&answer, &header))
}

/// As [`check`], for the first half of a sign-in.
pub(crate) fn check_challenge(answer: Answer) -> Result<Answer> {
    let message = answer.detail("/header/message");
    if message.as_deref() == Some(CHALLENGED) {
        return Ok(answer);
    }
    check(answer)
}

fn refused(answer: &Answer, header: &Header) -> Error {
    let code = match header.code {
        0 => answer.status().as_u16(),
        code => code,
    };
    let message = answer.detail("/header/message").unwrap_or_default();
    let text = format!("API error (code {code}): {message}");
    if let Some(error) = answer.error() {
        return error.map_message(|_| text);
    }
    let kind = StatusCode::from_u16(header.code).ok().and_then(kind_of);
    Error::new(kind.unwrap_or(ErrorKind::InvalidData), text)
}
