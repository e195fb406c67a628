//! What an answer of Conjur that is no success means, in the words of its client. A missing variable
//! is a kind of its own; that it deletes nothing is decided in `store`.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, text)
}

fn text(answer: &Answer) -> String {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let text = answer.detail("/message");
    let text = text.unwrap_or_else(|| format!("{} {reason}", status.as_u16()));
    match answer.detail("/error/message") {
        // The client ends the server's sentence with a point, whether it has one or not.
        Some(message) => format!("{text}. {message}."),
        None => text,
    }
}
