//! What an answer of Scaleway that is no success means, in the words of its SDK. A 404 is a missing
//! secret.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::checked;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    checked(answer, |answer| {
        let status = answer.status();
        let reason = status.canonical_reason().unwrap_or_default();
        let text = format!("{} {reason}", status.as_u16());
        let message = answer.detail("/message").unwrap_or_else(|| text.clone());
        format!("scaleway-sdk-go: http error {text}: {message}")
    })
}
