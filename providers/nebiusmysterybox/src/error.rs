//! What an answer of the server that is no success means. Only its own "no such secret" is
//! absence; a denial, a throttle or an outage must never look like one.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::checked;

/// Where the server explains an error; it never holds a secret.
const EXPLANATION: &str = "/error/message";

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    checked(answer, |answer| {
        let status = answer.status().as_u16();
        match answer.detail(EXPLANATION) {
            Some(detail) => format!("nebiusmysterybox answered {status}: {detail}"),
            None => format!("nebiusmysterybox answered {status}"),
        }
    })
}
