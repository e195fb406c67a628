//! What an answer of the sidecar that is no success means. Its body is not shown: the sidecar puts
//! anything there.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        format!("failed to perform http request, got status code {status}")
    })
}
