//! Mappings as `gopkg.in/yaml.v3` reads them into `map[string]any`: `yes` and `on` are strings, a number
//! keeps its type, and a mapping with a key that is no string is not an object.

use std::collections::BTreeMap;

use super::expand::{Key, Yaml};
use super::integer::Integer;
use super::json::key_text;
use super::resolve::Resolved;
use super::{Error, Version, load};
use crate::fmt::value_text;
use crate::json::{Number, Value};
use crate::unicode::to_valid_utf8;

/// Reads the first document, which must be a mapping or empty. Of its members only mappings whose keys are
/// strings are objects; other mappings are the text that Go prints for them. Timestamps stay as written.
pub fn decode_v3(source: &[u8]) -> Result<BTreeMap<String, Value>, Error> {
    match load(source, Version::V3)? {
        Yaml::Scalar(Resolved::Null) => Ok(BTreeMap::new()),
        Yaml::Mapping(members) => {
            let members = members.into_ordered();
            members
                .map(|(key, value)| Ok((key_text(key)?, convert(value)?)))
                .collect()
        }
        _ => Err(Error::syntax("the document is no mapping")),
    }
}

fn convert(value: Yaml) -> Result<Value, Error> {
    Ok(match value {
        Yaml::Scalar(scalar) => scalar_value(scalar),
        Yaml::Sequence(elements) => {
            let elements = elements.into_iter().map(convert);
            Value::Array(elements.collect::<Result<_, _>>()?)
        }
        Yaml::Mapping(members) => {
            let mut strings_only = true;
            let mut object = BTreeMap::new();
            for (key, value) in members.into_ordered() {
                strings_only &= matches!(key, Key::Text(_));
                object.insert(key_text(key)?, convert(value)?);
            }
            let object = Value::Object(object);
            if strings_only {
                object
            } else {
                Value::String(value_text(&object))
            }
        }
    })
}

fn scalar_value(scalar: Resolved) -> Value {
    match scalar {
        Resolved::Null => Value::Null,
        Resolved::Bool(flag) => Value::Bool(flag),
        Resolved::Text(text) => Value::String(to_valid_utf8(&text)),
        Resolved::Integer(Integer::Signed(number)) => Value::Number(Number::Int(number)),
        Resolved::Integer(Integer::Unsigned(number)) => {
            Value::Number(Number::Text(number.to_string()))
        }
        Resolved::Float(number) => Value::Number(Number::Float(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(source: &str) -> Vec<(String, String)> {
        let members = decode_v3(source.as_bytes()).unwrap().into_iter();
        members
            .map(|(name, value)| (name, value_text(&value)))
            .collect()
    }

    fn text(source: &str) -> String {
        printed(&format!("a: {source}\n")).remove(0).1
    }

    #[test]
    fn words_of_older_versions_are_strings() {
        for word in ["yes", "on", "n", "Off"] {
            assert_eq!(text(word), word);
        }
        assert_eq!(text("True"), "true");
    }

    #[test]
    fn numbers_are_printed_by_their_type() {
        for (source, wanted) in [
            ("010", "8"),
            ("0o17", "15"),
            ("1_000", "1000"),
            ("1e6", "1e+06"),
            ("1.0", "1"),
            (".inf", "+Inf"),
            ("12345678901234567890", "12345678901234567890"),
            ("123456789012345678", "123456789012345678"),
        ] {
            assert_eq!(text(source), wanted, "{source}");
        }
    }

    #[test]
    fn keys_that_are_no_strings_are_printed() {
        let members = printed("1: a\ntrue: b\nm: {1: x}\n");

        let wanted = [("1", "a"), ("m", "map[1:x]"), ("true", "b")];
        let wanted = wanted.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(members, wanted);
        let nested = decode_v3(b"m: {1: x}\nn: {k: x}\n").unwrap();
        assert!(nested["m"].as_object().is_none());
        assert!(nested["n"].as_object().is_some());
    }

    #[test]
    fn a_key_may_be_given_once_beside_merges() {
        assert!(decode_v3(b"a: 1\na: 2\n").is_err());
        assert!(decode_v3(b"a: &x {b: 1}\nc: {<<: *x, b: 2}\n").is_ok());
    }

    #[test]
    fn only_mappings_and_empty_documents_are_read() {
        assert!(decode_v3(b"").unwrap().is_empty());
        assert!(decode_v3(b"text").is_err());
        assert!(decode_v3(b"- a\n").is_err());
    }
}
