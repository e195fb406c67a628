//! What a refusal of Lockbox means. The original does not tell a missing secret from other failures,
//! so that one never deletes a target here.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept};

/// A call that failed.
pub(crate) fn refused(error: Error) -> Error {
    missing_kept(error)
}

/// A read that failed; `wanted` says what it was for.
pub(crate) fn unread(error: Error, wanted: &str) -> Error {
    error.context(format!("unable to request secret payload to get {wanted}"))
}

/// An entry that a secret does not have.
pub(crate) fn no_entry(key: &str) -> Error {
    missing(format!("payload entry with key '{key}' not found"))
}

/// An entry without a value, or with one of a kind that is not known.
pub(crate) fn unknown_type(key: &str) -> Error {
    Error::invalid_data(format!("unsupported payload value type, key: {key}"))
}
