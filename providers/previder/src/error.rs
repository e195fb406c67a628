//! What an answer that is no success means. Every status but 2xx is an error: upstream's client takes all
//! but 401 for a success and gives an empty value.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status();
        if status.as_u16() == 401 {
            return "vault token is not authorized to read and decrypt secrets".to_owned();
        }
        match answer.detail("/message") {
            Some(message) => format!("Previder Vault answered {status}: {message}"),
            None => format!("Previder Vault answered {status}"),
        }
    })
}
