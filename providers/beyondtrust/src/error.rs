//! What an answer of Password Safe that is no success means, in the words of the vendor's client. A missing
//! secret is a kind of its own; that it deletes nothing is decided in `store`.

use lockstep_provider_api::http::{Answer, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;
use lockstep_provider_kit::refusal::shown_body;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, text)
}

/// The vendor's client shows the body of the request for a 5xx, which may hold the value of a push.
fn text(answer: &Answer) -> String {
    let status = answer.status();
    let code = status.as_u16();
    if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        let reason = status.canonical_reason().unwrap_or_default();
        return format!("StatusCode: {code}, Status: {code} {reason}");
    }
    format!("error - status code: {code} - {}", shown_body(answer))
}
