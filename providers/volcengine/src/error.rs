//! What an answer of the backend that is no success means. The text is the backend's code and message;
//! ids of requests are left out, because each retry would be another text.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        let code = answer.detail("/ResponseMetadata/Error/Code");
        let message = answer.detail("/ResponseMetadata/Error/Message");
        match (code, message) {
            (None, None) => format!("the backend answered with status code: {status}"),
            (code, message) => format!(
                "{}: {}\n\tstatus code: {status}",
                code.unwrap_or_default(),
                message.unwrap_or_default()
            ),
        }
    })
}
