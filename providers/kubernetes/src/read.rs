//! What a reference means inside a Secret that was read: a key, a path into a key's JSON, or the
//! Secret's labels and annotations. Pure; error texts are upstream's.

use lockstep_provider_api::json::{self, Html, Value};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{Dots, extract};

use crate::secret::{Secret, Strings};

const LABELS: &str = "labels";
const ANNOTATIONS: &str = "annotations";

/// The value a reference names.
pub(crate) fn value(secret: &Secret, reference: &RemoteRef) -> Result<SecretValue> {
    let fetches_metadata = reference.metadata == MetadataPolicy::Fetch;
    if !fetches_metadata {
        return value_in(&secret.data, reference);
    }
    let Some(property) = reference.wanted_property() else {
        return Ok(all_metadata(secret));
    };
    let found = metadata_property(secret, property);
    found.ok_or_else(|| no_property(property, "metadata", reference))
}

/// The value a reference names among the data of a Secret.
pub(crate) fn value_in(data: &SecretMap, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(json::to_json_object(data));
    };
    let found = data_property(data, property);
    found.ok_or_else(|| no_property(property, "data", reference))
}

/// Upstream does not count this as a missing secret, so `deletionPolicy` must not either.
fn no_property(property: &str, place: &str, reference: &RemoteRef) -> Error {
    Error::invalid_data(format!(
        "property {property} does not exist in {place} of secret {:?}",
        reference.key
    ))
}

/// The map a reference names.
pub(crate) fn map(secret: Secret, reference: &RemoteRef) -> Result<SecretMap> {
    let whole = match reference.metadata {
        MetadataPolicy::Fetch => SecretMap::from_iter([
            (
                LABELS.to_owned(),
                strings_json(secret.metadata.labels.as_ref()),
            ),
            (
                ANNOTATIONS.to_owned(),
                strings_json(secret.metadata.annotations.as_ref()),
            ),
        ]),
        MetadataPolicy::None => secret.data,
    };
    map_in(whole, reference)
}

/// The map a reference names in a whole one.
pub(crate) fn map_in(whole: SecretMap, reference: &RemoteRef) -> Result<SecretMap> {
    match reference.wanted_property() {
        None => Ok(whole),
        Some(property) => match whole.get(property) {
            Some(value) => members(value),
            None => Err(Error::invalid_data(format!(
                "property {property} does not exist in key {}",
                reference.key
            ))),
        },
    }
}

/// The members of the JSON object in one key. Text is taken without its quotes, everything else as
/// compact JSON.
fn members(value: &SecretValue) -> Result<SecretMap> {
    let decoded = json::decode(value);
    let members = match decoded {
        Ok(Value::Object(members)) => members,
        Ok(Value::Null) => return Ok(SecretMap::new()),
        _ => {
            return Err(Error::invalid_data(
                "failed to unmarshal secret: invalid JSON format",
            ));
        }
    };
    let bytes = members.into_iter().map(|(key, member)| {
        let text = match member {
            Value::String(text) => text,
            other => json::marshal(&other),
        };
        (key, SecretValue::from(text))
    });
    Ok(bytes.collect())
}

/// A key of that name, else the path after the first dot inside the key before it.
fn data_property(data: &SecretMap, property: &str) -> Option<SecretValue> {
    if let Some(value) = data.get(property) {
        return Some(value.clone());
    }
    let (key, path) = property.split_once('.')?;
    if key.is_empty() || path.is_empty() {
        return None;
    }
    extract(data.get(key)?, path, Dots::Raw).ok()
}

/// `labels`, `labels.<key>` or `labels.<key>.<path>`, and the same for annotations. As upstream,
/// every dot separates, so keys with dots cannot be named, and a path is put together without its
/// dots.
fn metadata_property(secret: &Secret, property: &str) -> Option<SecretValue> {
    let mut parts = property.split('.');
    let entries = match parts.next()? {
        LABELS => secret.metadata.labels.as_ref(),
        ANNOTATIONS => secret.metadata.annotations.as_ref(),
        _ => return None,
    };
    let Some(key) = parts.next() else {
        return Some(strings_json(entries));
    };
    let value = SecretValue::from(entries?.get(key)?.as_str());
    match parts.collect::<Vec<_>>().as_slice() {
        [] => Some(value),
        path => extract(&value, &path.concat(), Dots::Raw).ok(),
    }
}

fn all_metadata(secret: &Secret) -> SecretValue {
    let annotations = strings_json(secret.metadata.annotations.as_ref());
    let labels = strings_json(secret.metadata.labels.as_ref());
    let parts: [&[u8]; 5] = [
        b"{\"annotations\":",
        annotations.expose(),
        b",\"labels\":",
        labels.expose(),
        b"}",
    ];
    SecretValue::new(parts.concat())
}

/// Absent labels or annotations are `null`, as in Go.
fn strings_json(entries: Option<&Strings>) -> SecretValue {
    match entries {
        None => SecretValue::from("null"),
        Some(entries) => SecretValue::from(json::to_json_strings(entries, Html::Plain)),
    }
}

#[cfg(test)]
mod tests;
