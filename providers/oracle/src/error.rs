//! What an answer of the backend that is no success means. The backend says the same for a secret that
//! is not there and for one that may not be seen, so that its 404 is never taken for absence by a read.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// A service with one of its operations, under the vendor's names.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) service: &'static str,
    pub(crate) name: &'static str,
}

/// The answer if it is a success, otherwise the error it stands for, with upstream's text.
pub(crate) fn check(answer: Answer, operation: Operation) -> Result<Answer> {
    described(answer, |answer| {
        let Operation { service, name } = operation;
        let status = answer.status().as_u16();
        let message = match answer.detail("/message") {
            Some(message) => message,
            None if is_object(answer) => String::new(),
            None => "Failed to parse json from response body".to_owned(),
        };
        format!("{service} service failed to {name}, HTTP status code {status}: {message}")
    })
}

/// Whether a refusal says that the identity is good but sees no such thing.
pub(crate) fn hides(answer: &Answer) -> bool {
    let code = answer.detail("/code");
    code.as_deref() == Some("NotAuthorizedOrNotFound")
}

fn is_object(answer: &Answer) -> bool {
    answer
        .json::<serde_json::Value>()
        .is_ok_and(|body| body.is_object())
}
