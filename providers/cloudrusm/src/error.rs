//! What a refusal means, in the original's words. A secret that is not there is absence; a search or a
//! sign-in that finds nothing is not.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, not_absence};

/// A read that failed; `what` is how the secret was named.
pub(crate) fn unread(error: Error, what: &str) -> Error {
    if error.kind() == &ErrorKind::NotFound {
        return Error::not_found().with_source(error);
    }
    error.context(format!("failed to get the secret by {what}"))
}

/// No token was to be had.
pub(crate) fn unauthorized(error: Error) -> Error {
    error.context("unauthorized: fetch IAM access token: get access token")
}

/// A search that failed.
pub(crate) fn unlisted(error: Error) -> Error {
    not_absence(error).context("failed to list secrets")
}

/// A version that is no number.
pub(crate) fn bad_version() -> Error {
    Error::invalid_spec("invalid secret version: should be a valid int32 value or 'latest' keyword")
}

/// A property of a value that is no JSON object.
pub(crate) fn no_json(key: &str, property: &str) -> Error {
    Error::invalid_data(format!(
        "expecting the secret {key:?} in JSON format, could not access property {property:?}"
    ))
}

/// Members of a value that is no JSON object.
pub(crate) fn no_members(key: &str) -> Error {
    Error::invalid_data(format!("expecting the secret {key:?} in JSON format"))
}

/// A property that a value does not have. The original does not see it as a missing secret.
pub(crate) fn no_property(key: &str, property: &str) -> Error {
    missing(format!(
        "the requested property {property:?} does not exist in secret {key:?}"
    ))
}
