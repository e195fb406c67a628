//! What an answer of Fortanix that is no success means, in the words of its SDK. A missing object is a kind of
//! its own that deletes nothing, because upstream did not recognise it.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, missing_kept};
use lockstep_provider_kit::refusal::shown_body;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let checked = described(answer, |answer| {
        let status = answer.status().as_u16();
        let body = shown_body(answer);
        format!("Status: {status}, Message: {body}")
            .trim_end()
            .to_owned()
    });
    checked.map_err(missing_kept)
}
