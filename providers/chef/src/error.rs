//! What an answer of a Chef server that is no success means. A missing item is a kind of its own; that it
//! deletes nothing is decided in `api`.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        match answer
            .detail("/error/0")
            .or_else(|| answer.detail("/error"))
        {
            Some(detail) => format!("the Chef server answered {status}: {detail}"),
            None => format!("the Chef server answered {status}"),
        }
    })
}
