//! What an answer of the vault that is no success means, in the words of its client: the status and
//! the body, less what could hold a secret.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;
use lockstep_provider_kit::refusal::shown_body;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status();
        let reason = status.canonical_reason().unwrap_or_default();
        format!("{} {reason}: {}", status.as_u16(), shown_body(answer))
    })
}
