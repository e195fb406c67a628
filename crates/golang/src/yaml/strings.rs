//! Documents that are to be flat maps of strings, as template output is.

use std::collections::BTreeMap;

use super::expand::Yaml;
use super::integer::Integer;
use super::json::key_text;
use super::resolve::Resolved;
use super::{Error, Version, load};
use crate::unicode::to_valid_utf8;
use crate::{float, json};

/// Reads the first document as a map of strings.
///
/// Scalars of other types become text, `null` the empty string; an empty document is an empty
/// map, anything nested is refused. Floats are written with the precision of 32 bits, as the Go
/// library does.
pub fn decode_strings(source: &[u8]) -> Result<BTreeMap<String, String>, Error> {
    let members = match load(source, Version::V2)? {
        Yaml::Scalar(Resolved::Null) => return Ok(BTreeMap::new()),
        Yaml::Mapping(members) => members,
        other => return Err(mismatch(kind_of(&other), "map[string]string")),
    };
    let mut last = BTreeMap::new();
    for (key, value) in members.into_ordered() {
        last.insert(key_text(key)?, value);
    }
    last.into_iter()
        .map(|(key, value)| Ok((key, text_of(value)?)))
        .collect()
}

fn text_of(value: Yaml) -> Result<String, Error> {
    Ok(match value {
        Yaml::Scalar(Resolved::Null) => String::new(),
        Yaml::Scalar(Resolved::Bool(flag)) => flag.to_string(),
        Yaml::Scalar(Resolved::Integer(Integer::Signed(number))) => number.to_string(),
        Yaml::Scalar(Resolved::Integer(Integer::Unsigned(number))) => number.to_string(),
        Yaml::Scalar(Resolved::Float(number)) => float::single(number),
        Yaml::Scalar(Resolved::Text(text)) => to_valid_utf8(&text),
        Yaml::Sequence(_) | Yaml::Mapping(_) => return Err(mismatch(kind_of(&value), "string")),
    })
}

fn kind_of(value: &Yaml) -> &'static str {
    match value {
        Yaml::Sequence(_) => "array",
        Yaml::Mapping(_) => "object",
        Yaml::Scalar(Resolved::Bool(_)) => "bool",
        Yaml::Scalar(Resolved::Integer(_) | Resolved::Float(_)) => "number",
        Yaml::Scalar(_) => "string",
    }
}

fn mismatch(found: &str, wanted: &'static str) -> Error {
    Error::Type(json::Error::Type {
        found: found.to_owned(),
        wanted,
    })
}
