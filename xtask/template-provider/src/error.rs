//! What an answer of the server that is no success means. Only its own "no such secret" is
//! absence; a denial, a throttle or an outage must never look like one.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;

/// Where the server explains an error; it never holds a secret.
const EXPLANATION: &str = "/error/message";

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    answer.check_with(EXPLANATION)
}
