//! What a refusal means, in the original's words. A secret, version or key that is not there is absence
//! for `deletionPolicy`, as in the original.

use lockstep_provider_api::error::NOT_FOUND_TEXT;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::grpc::{Code, Status};

/// The error with what its status means in front.
pub(crate) fn by_code(operation: &str, error: Error) -> Error {
    let meaning = match Status::of(&error).map(|status| status.code) {
        Some(Code::NotFound) => "not found",
        Some(Code::Unauthenticated | Code::PermissionDenied) => "auth error",
        Some(Code::Unavailable) => "service unavailable",
        Some(Code::DeadlineExceeded) => "deadline exceeded",
        Some(Code::Internal) => "internal error",
        _ => return error,
    };
    error.context(format!("{operation}: {meaning}"))
}

/// A read of a whole secret that failed.
pub(crate) fn unread(error: Error, reference: &RemoteRef) -> Error {
    if error.kind() != &ErrorKind::NotFound {
        return by_code("get secret", error);
    }
    let key = &reference.key;
    error.map_message(|_| match reference.wanted_version() {
        Some(version) => {
            format!("version {version:?} of secret {key:?} not found: {NOT_FOUND_TEXT}")
        }
        None => format!("secret {key:?} not found: {NOT_FOUND_TEXT}"),
    })
}

/// A read of one entry that failed.
pub(crate) fn unread_entry(error: Error, reference: &RemoteRef, entry: &str) -> Error {
    if error.kind() != &ErrorKind::NotFound {
        return by_code("get secret by key", error);
    }
    let key = &reference.key;
    error.map_message(|_| match reference.wanted_version() {
        Some(version) => format!(
            "version {version:?} of secret {key:?} not found by key {entry:?}: {NOT_FOUND_TEXT}"
        ),
        None => format!("key {entry:?} not found in secret {key:?}: {NOT_FOUND_TEXT}"),
    })
}

/// An entry without a value, or with one of a kind that is not known.
pub(crate) fn unknown_type(key: &str) -> Error {
    Error::invalid_data(format!("payload type not supported, key: {key}"))
}
