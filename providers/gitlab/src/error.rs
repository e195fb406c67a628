//! What an answer of GitLab that is no success means, in the words of its SDK. A missing variable is
//! a kind of its own; whether it deletes anything is decided in `store`.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::Request;
use lockstep_provider_kit::error::described;

/// The SDK's text for 404, whatever the server says.
const NOT_FOUND: &str = "404 Not Found";

/// Turns answers to `request` into errors.
pub(crate) fn check(request: &Request) -> impl FnOnce(Answer) -> Result<Answer> + use<> {
    let target = format!("{} {}", request.method(), request.uri());
    move |answer| {
        described(answer, |answer| {
            let status = answer.status().as_u16();
            if status == 404 {
                return NOT_FOUND.to_owned();
            }
            let text = format!("{target}: {status}");
            match (answer.detail("/message"), answer.detail("/error")) {
                (Some(message), _) => format!("{text} {{message: {message}}}"),
                (None, Some(error)) => format!("{text} {{error: {error}}}"),
                (None, None) => text,
            }
        })
    }
}
