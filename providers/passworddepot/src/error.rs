//! What an answer of the server that is no success means. Upstream calls every one of them a failed
//! sign-in; here only a refusal is one.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{described, not_absence};

/// The answer if it is a success, otherwise the error it stands for. A 404 is about the address: what
/// is not there, lists do not have.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    let checked = described(answer, |answer| match answer.status().as_u16() {
        code @ (401 | 403) => {
            format!("failed to authenticate with the given credentials: {code} ")
        }
        code => format!("the server answered {code}"),
    });
    checked.map_err(not_absence)
}
