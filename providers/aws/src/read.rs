//! What reading has in common in all services: properties, members, parts of a shared read, and the
//! text of a missing secret. Pure.

use lockstep_provider_api::json::json_object;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use crate::error::Failure;

/// A property of a value. One that is missing fails; only a missing secret is absence.
pub(crate) fn select(value: &SecretValue, property: &str, key: &str) -> Result<SecretValue> {
    property::extract(value, property, Dots::EscapedThenRaw)
        .map_err(|_| Error::invalid_data(format!("key {property} does not exist in secret {key}")))
}

/// The value that a reference means, out of the whole one.
pub(crate) fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    match reference.wanted_property() {
        None => Ok(value.clone()),
        Some(property) => select(value, property, &reference.key),
    }
}

/// What a read gives, out of the outcome of the read of the whole value.
pub(crate) fn extract_from(read: &Read, containing: &Result<Payload>) -> Result<Payload> {
    read.extract_from_value(containing, wanted, |value, reference| {
        members(value, &reference.key)
    })
}

/// The members of a value that must be a JSON object.
pub(crate) fn members(value: &SecretValue, key: &str) -> Result<SecretMap> {
    json_object(value).map_err(|error| error.context(format!("unable to unmarshal secret {key}")))
}

/// A missing secret has the text users match on; every other failure stays as it is.
pub(crate) fn absent(failure: Failure) -> Error {
    if *failure.error.kind() == ErrorKind::NotFound {
        return Error::not_found().with_source(failure.error);
    }
    failure.error
}
