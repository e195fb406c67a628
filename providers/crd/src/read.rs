//! What a reference means inside an object that was read: the whole as JSON with sorted keys, or a
//! path into it. Pure; error texts are upstream's and never show a value.

use lockstep_provider_api::json::{self, Value};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{Dots, extract_json};
use serde::Deserialize;

use crate::spec::ObjectType;

/// Names of an object.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Metadata {
    /// Name.
    #[serde(default)]
    pub(crate) name: String,
    /// Namespace; empty for an object of the whole cluster.
    #[serde(default)]
    pub(crate) namespace: String,
}

/// The object as JSON with sorted keys, the form in which values are taken out of it.
pub(crate) fn sorted(object: &SecretValue) -> Result<SecretValue> {
    let decoded = json::decode(object)?;
    if !matches!(decoded, Value::Object(_)) {
        return Err(Error::invalid_data("crd: the answer is no object"));
    }
    Ok(json::to_secret(&decoded))
}

/// The same for an object of a list, which the core group sends without kind and version.
pub(crate) fn with_kind(object: &SecretValue, kind: &ObjectType) -> Result<SecretValue> {
    let Value::Object(mut members) = json::decode(object)? else {
        return Err(Error::invalid_data("crd: the answer is no object"));
    };
    let version = match kind.group.as_str() {
        "" => kind.version.clone(),
        group => format!("{group}/{}", kind.version),
    };
    for (member, text) in [("apiVersion", version), ("kind", kind.kind.clone())] {
        let filled = members.entry(member.to_owned());
        filled.or_insert(Value::String(text));
    }
    Ok(json::to_secret(&Value::Object(members)))
}

/// The value a reference names in an object.
pub(crate) fn value(
    object: &SecretValue,
    name: &str,
    property: Option<&str>,
) -> Result<SecretValue> {
    let Some(property) = property else {
        return Ok(object.clone());
    };
    extract_json(object, property, Dots::Raw).map_err(|error| match error.kind() {
        // A field that an object does not have is no missing object.
        ErrorKind::NotFound => Error::invalid_data(format!(
            "crd: property {property:?} not found in object {name:?}"
        )),
        _ => error,
    })
}

/// The members of a value; one that is no JSON object is a single member.
pub(crate) fn map(value: SecretValue) -> SecretMap {
    json::json_object(&value)
        .unwrap_or_else(|_| SecretMap::from_iter([("value".to_owned(), value)]))
}

#[cfg(test)]
mod tests;
