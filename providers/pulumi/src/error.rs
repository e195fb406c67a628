//! What an answer of Pulumi that is no success means: its status, as Pulumi's SDK says it.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status();
        let reason = status.canonical_reason().unwrap_or_default();
        let text = format!("{} {reason}", status.as_u16());
        match answer.detail("/message") {
            Some(message) => format!("{text}: {message}"),
            None => text,
        }
    })
}
