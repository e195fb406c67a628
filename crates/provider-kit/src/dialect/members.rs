//! Members of an object in the readings that the contract's crate does not have: as written,
//! strings alone, and as YAML. Follows Go in what counts as an object; errors say nothing of the content.

use std::collections::BTreeMap;

use lockstep_golang::fmt::value_text;
use lockstep_golang::yaml::decode_v3;
use lockstep_provider_api::json::{Value, decode, json_object, kind_of};
use lockstep_provider_api::prelude::*;
use serde_json::value::RawValue;

use crate::yaml::{Style, to_yaml};

/// Members as written; a top-level `null` has none.
pub(super) fn raw_members(value: &SecretValue) -> Result<SecretMap> {
    // Tells Go's reason for what is no JSON, and for what is no object.
    json_object(value)?;
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

/// Members of a YAML mapping, which an empty text is too; of a JSON object where YAML cannot read it.
pub(super) fn yaml_members(value: &SecretValue) -> Result<SecretMap> {
    let Ok(members) = decode_v3(value.expose()) else {
        return json_object(value);
    };
    let text = |member: &Value| match member {
        Value::Object(_) => to_yaml(member, Style::V3).trim().to_owned(),
        other => value_text(other),
    };
    let members = members.into_iter();
    Ok(members
        .map(|(name, member)| (name, SecretValue::from(text(&member))))
        .collect())
}

fn string(member: Value) -> Result<SecretValue> {
    match member {
        Value::Null => Ok(SecretValue::default()),
        Value::String(text) => Ok(SecretValue::from(text)),
        other => Err(unfit(&other, "string")),
    }
}

fn unfit(found: &Value, wanted: &str) -> Error {
    let found = kind_of(found);
    Error::invalid_data(format!(
        "json: cannot unmarshal {found} into Go value of type {wanted}"
    ))
}
