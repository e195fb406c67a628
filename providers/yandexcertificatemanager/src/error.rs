//! What a refusal of Certificate Manager means. The original does not tell a missing certificate from
//! other failures, so that one never deletes a target here.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing_kept;

/// A call that failed.
pub(crate) fn refused(error: Error) -> Error {
    missing_kept(error)
}

/// A read that failed; `wanted` says what it was for.
pub(crate) fn unread(error: Error, wanted: &str) -> Error {
    error.context(format!(
        "unable to request certificate content to get {wanted}"
    ))
}

/// A property that certificates do not have.
pub(crate) fn no_property(property: &str) -> Error {
    Error::invalid_spec(format!("unsupported property '{property}'"))
}
