//! What an answer of the backend that is no success means. Texts are those of the vendor's client, without the
//! id of the operation, which is another one each time.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::json::decode;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// The answer if it is a success, otherwise the error it stands for.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        let code = answer.detail("/error_code");
        let code = code.map_or_else(String::new, |code| format!(" [{code}]"));
        let message = answer.detail("/msg").unwrap_or_else(|| {
            let body: &[u8] = answer.expose_body();
            match decode(&SecretValue::from(body)) {
                Ok(_) => String::new(),
                Err(error) => format!("failed to unmarshal response body: {error}"),
            }
        });
        format!("HTTP {status}: {message}{code}")
    })
}
