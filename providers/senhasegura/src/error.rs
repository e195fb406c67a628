//! What failures mean, in the words of upstream's client with more detail behind them. Nothing here is
//! absence: one request gives all secrets.

use lockstep_provider_api::http::{Answer, StatusCode, kind_of};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

const UNREACHED: &str = "cannot do request in senhasegura, SSL certificate is valid ?";
const BAD_STATUS: &str = "received invalid HTTP code from senhasegura";
pub(crate) const BAD_BODY: &str = "invalid HTTP response body received from senhasegura";
const REFUSED: &str = "received application error from senhasegura";

/// What the server says about its answer.
#[derive(Default, Deserialize)]
pub(crate) struct Outcome {
    #[serde(default)]
    status: u16,
    #[serde(default)]
    pub(crate) error: bool,
}

/// The answer if it is a success, which is 200 and nothing else.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    if answer.status() == StatusCode::OK {
        return Ok(answer);
    }
    let text = format!("{BAD_STATUS}: {}", answer.status());
    Err(match answer.error() {
        Some(error) => error.map_message(|_| text),
        None => Error::invalid_data(text),
    })
}

/// The same error in upstream's words where no answer came at all.
pub(crate) fn unreached(error: Error) -> Error {
    let answered = error.to_string().starts_with(BAD_STATUS);
    if error.kind() == &ErrorKind::Unreachable && !answered {
        return error.context(UNREACHED);
    }
    error
}

/// The error behind an answer that says it is one.
pub(crate) fn refused(answer: &Answer, outcome: &Outcome) -> Error {
    let status = StatusCode::from_u16(outcome.status).ok();
    let kind = status.and_then(kind_of).unwrap_or(ErrorKind::InvalidData);
    Error::new(
        kind,
        match answer.detail("/response/message") {
            Some(message) => format!("{REFUSED}: {message}"),
            None => REFUSED.to_owned(),
        },
    )
}
