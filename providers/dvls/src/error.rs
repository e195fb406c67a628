//! What an answer of the server that is no success means, in the words of its client.

use http::Uri;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::described;

/// Checks the answer to a request of this address.
pub(crate) fn check(uri: &Uri) -> impl FnOnce(Answer) -> Result<Answer> + use<> {
    let uri = uri.to_string();
    move |answer| {
        described(answer, |answer| {
            let status = answer.status().as_u16();
            format!(
                "error while submitting request on url {uri} (status {status}). \
                 error: unexpected status code {status}"
            )
        })
    }
}
