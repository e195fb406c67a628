//! What an answer of Secret Server that is no success means, in the words of its client.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};
use lockstep_provider_kit::refusal::shown_body;

/// Text of a name that no secret has, which upstream's users know.
pub(crate) const NO_MATCH: &str = "unable to retrieve secret at this time";

/// Checks the answer about one secret: a 404 says that it is not there.
pub(crate) fn secret(answer: Answer) -> Result<Answer> {
    described(answer, text)
}

/// Checks any other answer: a 404 says that the address is wrong.
pub(crate) fn other(answer: Answer) -> Result<Answer> {
    secret(answer).map_err(not_absence)
}

/// Checks a sign-in: its 400 says that the credentials are refused.
pub(crate) fn sign_in(answer: Answer) -> Result<Answer> {
    let is_refused = answer.status().as_u16() == 400;
    other(answer).map_err(|error| {
        if is_refused {
            return Error::new(ErrorKind::Unauthenticated, error.to_string());
        }
        error
    })
}

/// A secret that is not there.
pub(crate) fn absent(text: &str) -> Error {
    Error::new(ErrorKind::NotFound, text)
}

fn text(answer: &Answer) -> String {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    format!("{} {reason}: {}", status.as_u16(), shown_body(answer))
}
