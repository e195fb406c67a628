//! What an answer of the backend that is no success means, in the words of its SDK. Absence is the
//! backend's own code for it; a 404 without that code is a wrong address or domain.

use lockstep_provider_api::error::NOT_FOUND_TEXT;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};

use crate::refusal::Refusal;

/// The backend's code of a secret that does not exist.
const NO_SECRET: u32 = 17_125_377;

/// Checks the answer about one secret: the error leaves out the status.
pub(crate) fn secret(answer: Answer) -> Result<Answer> {
    let told = |answer: &Answer| match Refusal::of(answer) {
        Some(refusal) => refusal.to_string(),
        None => format!("failed to parse the following okms error: {}", text(answer)),
    };
    check(answer, told)
}

/// Checks the answer to a write or to the store's check: the status comes first.
pub(crate) fn other(answer: Answer) -> Result<Answer> {
    check(answer, text)
}

/// Checks the answer to a list: what is not there is no missing secret.
pub(crate) fn listed(answer: Answer) -> Result<Answer> {
    described(answer, text).map_err(not_absence)
}

fn check(answer: Answer, told: impl Fn(&Answer) -> String) -> Result<Answer> {
    let is_absent = Refusal::of(&answer).is_some_and(|refusal| refusal.code() == NO_SECRET);
    described(answer, told).map_err(|error| match error.kind() {
        ErrorKind::NotFound if is_absent => error.map_message(|_| NOT_FOUND_TEXT.to_owned()),
        _ => not_absence(error),
    })
}

fn text(answer: &Answer) -> String {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let cause = Refusal::of(answer).map_or_else(|| "<nil>".to_owned(), |it| it.to_string());
    let code = status.as_u16();
    format!("HTTP request failed - HTTP Status: {code}, {reason}\n{cause}")
}
