//! What an answer of the server that is no success means, in the words of its client.

use http::Uri;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::json::decode;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// Checks the answer to a request of this address: its status, and that it is JSON where it is anything.
pub(crate) fn check(uri: &Uri) -> impl FnOnce(Answer) -> Result<Answer> + use<> {
    let uri = uri.clone();
    move |answer| {
        let answer = described(answer, |answer| {
            let status = answer.status().as_u16();
            format!(
                "error while submitting request on url {uri} (status {status}). \
                 error: unexpected status code {status}"
            )
        })?;
        let body: &[u8] = answer.expose_body();
        if !body.is_empty() {
            decode(&SecretValue::from(body)).map_err(|error| {
                submitting(&uri, error.context("failed to unmarshal response body"))
            })?;
        }
        Ok(answer)
    }
}

/// A request that could not be made, or whose answer could not be read.
pub(crate) fn submitting(uri: &Uri, error: Error) -> Error {
    error.context(format!(
        "error while submitting request on url {uri}. error"
    ))
}
