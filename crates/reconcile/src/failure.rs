//! Failures of requests to the API server, as conditions report them. The server's text and its hint when to
//! ask again are kept.

use lockstep_plan::Failure;
use lockstep_runtime::api_error::ApiError;

/// A failed request, met while working on `message`.
pub(crate) fn api_failure(message: &'static str, error: &ApiError) -> Failure {
    worded(message, error, error.to_string())
}

/// The same with words around the server's text.
pub(crate) fn worded(message: &'static str, error: &ApiError, text: String) -> Failure {
    Failure::api(message, text).asked_again_after(error.retry_after())
}
