//! JSON objects as secret maps and back, on Go's reading of JSON. Two conversions exist because
//! upstream has two: [`json_object`] keeps the source text of members that are no strings,
//! [`json_object_decoded`] goes through decoded values. Errors never show a byte of the input.

use lockstep_golang::json;
use lockstep_golang::json::Error as JsonError;
use std::collections::BTreeMap;

pub use lockstep_golang::json::{Html, Number, Value, marshal, marshal_escaped};

use crate::error::{Error, Result};
use crate::value::{SecretMap, SecretValue};

#[cfg(test)]
mod tests;

/// Members of a JSON object: strings unquoted, `null` empty, everything else verbatim.
///
/// A top-level `null` is an empty map; of duplicate keys the last one counts.
pub fn json_object(value: &SecretValue) -> Result<SecretMap> {
    let members = json::object_members(value.expose()).map_err(|error| refused(&error))?;
    Ok(members
        .into_iter()
        .map(|(key, member)| (key, SecretValue::new(member.into_bytes())))
        .collect())
}

/// Members of a JSON object after decoding: plain decimals for numbers, compact JSON with sorted
/// keys and HTML escapes for arrays and objects.
///
/// Integers keep all their digits, where upstream loses those beyond 2^53.
pub fn json_object_decoded(value: &SecretValue) -> Result<SecretMap> {
    members_decoded(decode(value)?)
}

fn members_decoded(decoded: Value) -> Result<SecretMap> {
    match decoded {
        Value::Null => Ok(SecretMap::new()),
        Value::Object(members) => Ok(members
            .into_iter()
            .map(|(key, member)| (key, to_secret(&member)))
            .collect()),
        other => Err(Error::invalid_data(format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            kind_of(&other)
        ))),
    }
}

/// Members of a JSON object after decoding, with the integers of Go's int64 to the digit and every
/// other number as Go's float64.
pub fn json_object_int64(value: &SecretValue) -> Result<SecretMap> {
    let decoded = json::decode_unstructured(value.expose()).map_err(|error| refused(&error))?;
    members_decoded(decoded)
}

/// Decodes a value; numbers keep their source text.
pub fn decode_verbatim(value: &[u8]) -> Result<Value> {
    json::decode_numbers_as_text(value).map_err(|error| refused(&error))
}

/// Decodes a value; integers keep their digits, other numbers are Go's float64.
pub fn decode(value: &SecretValue) -> Result<Value> {
    json::decode_keeping_integers(value.expose()).map_err(|error| refused(&error))
}

/// The secret a decoded value stands for: strings are themselves, `null` is empty, numbers are
/// plain decimals, arrays and objects are compact JSON with HTML escapes.
pub fn to_secret(value: &Value) -> SecretValue {
    SecretValue::new(json::to_bytes(value))
}

/// The map as a JSON object of strings with sorted keys and no HTML escapes.
pub fn to_json_object(map: &SecretMap) -> SecretValue {
    encode_object(map, Html::Plain)
}

/// The map as a JSON object of strings with sorted keys, `<`, `>` and `&` escaped.
pub fn to_json_object_escaped(map: &SecretMap) -> SecretValue {
    encode_object(map, Html::Escaped)
}

/// Labels, annotations or tags as a JSON object with sorted keys.
pub fn to_json_strings(map: &BTreeMap<String, String>, html: Html) -> String {
    let entries = map
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_bytes()));
    write_object(entries, html)
}

fn encode_object(map: &SecretMap, html: Html) -> SecretValue {
    let entries = map.iter().map(|(key, value)| (key, value.expose()));
    SecretValue::from(write_object(entries, html))
}

fn write_object<'a>(entries: impl Iterator<Item = (&'a str, &'a [u8])>, html: Html) -> String {
    let mut text = String::from("{");
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            text.push(',');
        }
        json::append_string(&mut text, key.as_bytes(), html);
        text.push(':');
        json::append_string(&mut text, value, html);
    }
    text.push('}');
    text
}

/// Go's text where it says nothing of the content, less than that where it would.
pub(crate) fn refused(error: &JsonError) -> Error {
    Error::invalid_data(match error {
        JsonError::InvalidCharacter { place, .. } => format!("invalid character {place}"),
        JsonError::Type { found, wanted } => {
            let found = found.split(' ').next().unwrap_or_default();
            format!("json: cannot unmarshal {found} into Go value of type {wanted}")
        }
        JsonError::NumberRange | JsonError::TooLarge => error.to_string(),
        _ => "unexpected end of JSON input".to_owned(),
    })
}

/// A kind of JSON in Go's words.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
