//! Members of a JSON object in the two readings that the contract's crate does not have: as written,
//! and strings alone. Follows Go in what counts as an object; errors say nothing of the content.

use std::collections::BTreeMap;

use lockstep_provider_api::json::{Value, decode};
use lockstep_provider_api::prelude::*;
use serde_json::value::RawValue;

/// Members as written; a top-level `null` has none.
pub(super) fn raw_members(value: &SecretValue) -> Result<SecretMap> {
    // Tells Go's reason for what is no JSON, and for what is no object.
    lockstep_provider_api::json::json_object(value)?;
    let members: Option<BTreeMap<String, Box<RawValue>>> = serde_json::from_slice(value.expose())
        .map_err(|error| {
        Error::invalid_data(format!(
            "the value is no JSON object at line {} column {}",
            error.line(),
            error.column()
        ))
    })?;
    let members = members.unwrap_or_default().into_iter();
    Ok(members
        .map(|(name, raw)| (name, SecretValue::from(raw.get())))
        .collect())
}

/// Members of an object of strings, `null` being an empty one; Go's error for any other.
pub(super) fn strict_strings(value: &SecretValue) -> Result<SecretMap> {
    match decode(value)? {
        Value::Null => Ok(SecretMap::new()),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, member)| Ok((name, string(member)?)))
            .collect(),
        other => Err(unfit(&other, "map[string]string")),
    }
}

fn string(member: Value) -> Result<SecretValue> {
    match member {
        Value::Null => Ok(SecretValue::default()),
        Value::String(text) => Ok(SecretValue::from(text)),
        other => Err(unfit(&other, "string")),
    }
}

fn unfit(found: &Value, wanted: &str) -> Error {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Error::invalid_data(format!(
        "json: cannot unmarshal {found} into Go value of type {wanted}"
    ))
}
