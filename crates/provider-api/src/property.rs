//! Properties: gjson paths into a secret value. Backends differ only in what a dot in a property
//! means, so that choice is a named strategy and the extraction is written once. A property that
//! is not there is a missing secret; one beyond a limit is an error, because targets are deleted on
//! absence. Values are never part of an error.

use lockstep_golang::gjson::{self, Hit, Kind};
use lockstep_golang::sjson;

use crate::error::{Error, Result};
use crate::request::RemoteRef;
use crate::value::SecretValue;

/// Largest value taken out of another one, in bytes: what a Secret can hold.
const MAX_VALUE: usize = 1 << 20;

/// What the dots of a property mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dots {
    /// Steps of the path, nothing else.
    Raw,
    /// First part of one member's name, then steps.
    EscapedThenRaw,
    /// First steps, then part of one member's name.
    RawThenEscaped,
    /// First the whole property is one member's name, every character of it, then a path.
    LiteralThenRaw,
}

/// The text at a property: strings unescaped, numbers as plain decimals, `null` empty, containers
/// as written.
pub fn extract(value: &SecretValue, property: &str, dots: Dots) -> Result<SecretValue> {
    let hit = try_find(value, property, dots)?.ok_or_else(Error::not_found)?;
    capped(&hit.string())
}

/// The JSON at a property: strings unescaped, everything else as written.
pub fn extract_json(value: &SecretValue, property: &str, dots: Dots) -> Result<SecretValue> {
    let hit = try_find(value, property, dots)?.ok_or_else(Error::not_found)?;
    let bytes = match hit.kind() {
        Kind::String => hit.text(),
        _ => hit.raw(),
    };
    capped(bytes)
}

/// The bytes found, unless no Secret could hold them.
fn capped(bytes: &[u8]) -> Result<SecretValue> {
    let length = bytes.len();
    if length > MAX_VALUE {
        return Err(Error::invalid_data(format!(
            "the value at the property has {length} bytes; at most {MAX_VALUE} fit into a Secret"
        )));
    }
    Ok(SecretValue::from(bytes))
}

/// The value a reference wants: that of its property, or the whole where it names none.
pub fn extract_wanted(
    value: SecretValue,
    reference: &RemoteRef,
    dots: Dots,
) -> Result<SecretValue> {
    match reference.wanted_property() {
        None => Ok(value),
        Some(property) => extract(&value, property, dots),
    }
}

/// What is at a property, for providers with rules of their own; nothing for one beyond a limit.
pub fn find<'a>(value: &'a SecretValue, property: &str, dots: Dots) -> Option<Hit<'a>> {
    try_find(value, property, dots).ok().flatten()
}

/// What is at a property; a property beyond a limit is an error, not absence.
pub fn try_find<'a>(value: &'a SecretValue, property: &str, dots: Dots) -> Result<Option<Hit<'a>>> {
    let json = value.expose();
    let at = |path: &str| {
        gjson::find(json, path).map_err(|error| {
            let shown = shown(property);
            Error::invalid_data(format!("cannot follow property {shown:?}: {error}"))
        })
    };
    let raw = || at(property);
    let escaped = || {
        if property.contains('.') {
            at(&gjson::escape_component(property))
        } else {
            Ok(None)
        }
    };
    match dots {
        Dots::Raw => raw(),
        Dots::EscapedThenRaw => escaped()?.map_or_else(raw, |hit| Ok(Some(hit))),
        Dots::RawThenEscaped => raw()?.map_or_else(escaped, |hit| Ok(Some(hit))),
        Dots::LiteralThenRaw => at(&literal(property))?.map_or_else(raw, |hit| Ok(Some(hit))),
    }
}

/// JSON text with a string at `property` (sjson syntax); an empty value counts as nothing yet.
pub fn set(value: &SecretValue, property: &str, text: &SecretValue) -> Result<SecretValue> {
    let written = sjson::set(value.expose(), property, text.expose());
    written.map(SecretValue::new).map_err(|error| {
        let shown = shown(property);
        Error::invalid_spec(format!("cannot set property {shown:?}: {error}"))
    })
}

/// JSON text without what is at `property`.
pub fn remove(value: &SecretValue, property: &str) -> Result<SecretValue> {
    let left = sjson::remove(value.expose(), property);
    left.map(SecretValue::new).map_err(|error| {
        let shown = shown(property);
        Error::invalid_spec(format!("cannot remove property {shown:?}: {error}"))
    })
}

/// As much of a property as a message should have.
fn shown(property: &str) -> &str {
    let end = property.floor_char_boundary(128);
    &property[..end]
}

/// A path that means exactly one member's name.
fn literal(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '_' | '-' | ':') {
            path.push('\\');
        }
        path.push(c);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"a.b":"dotted","a":{"b":"nested","c":"deep"},"n":1.50,"big":12345678901234567890,
"z":null,"t":true,"o":{ "x" : 1 },"p*q|r":"odd","k.l":"only dotted"}"#;

    fn text(property: &str, dots: Dots) -> Option<String> {
        let found = extract(&JSON.into(), property, dots).ok()?;
        Some(found.expose_utf8().unwrap().to_owned())
    }

    #[test]
    fn each_strategy_reads_dots_its_way() {
        assert_eq!(text("a.b", Dots::Raw).unwrap(), "nested");
        assert_eq!(text(r"a\.b", Dots::Raw).unwrap(), "dotted");
        assert_eq!(text("a.b", Dots::EscapedThenRaw).unwrap(), "dotted");
        assert_eq!(text("a.b", Dots::RawThenEscaped).unwrap(), "nested");
        assert_eq!(text("a.b", Dots::LiteralThenRaw).unwrap(), "dotted");
    }

    #[test]
    fn each_strategy_falls_back_to_its_second_reading() {
        assert_eq!(text("k.l", Dots::Raw), None);
        assert_eq!(text("k.l", Dots::RawThenEscaped).unwrap(), "only dotted");
        assert_eq!(text("a.c", Dots::EscapedThenRaw).unwrap(), "deep");
        assert_eq!(text("a.c", Dots::LiteralThenRaw).unwrap(), "deep");
    }

    #[test]
    fn a_literal_name_may_have_any_character() {
        assert_eq!(text("p*q|r", Dots::LiteralThenRaw).unwrap(), "odd");
    }

    #[test]
    fn values_become_text_as_gjson_has_it() {
        assert_eq!(text("n", Dots::Raw).unwrap(), "1.5");
        assert_eq!(text("big", Dots::Raw).unwrap(), "12345678901234567890");
        assert_eq!(text("z", Dots::Raw).unwrap(), "");
        assert_eq!(text("t", Dots::Raw).unwrap(), "true");
        assert_eq!(text("o", Dots::Raw).unwrap(), r#"{ "x" : 1 }"#);
    }

    #[test]
    fn values_as_json_keep_their_spelling() {
        let json = |property| extract_json(&JSON.into(), property, Dots::Raw).unwrap();

        assert_eq!(json("n"), "1.50".into());
        assert_eq!(json("z"), "null".into());
        assert_eq!(json("a.b"), "nested".into());
    }

    #[test]
    fn a_missing_property_is_a_missing_secret() {
        let error = extract(&JSON.into(), "nope", Dots::EscapedThenRaw).unwrap_err();

        assert_eq!(error.to_string(), "Secret does not exist");
        assert!(error.consequence().absent);
    }

    #[test]
    fn a_property_beyond_a_limit_is_no_absence() {
        let doubling = "[@this,@this]".to_owned() + &"|[@this,@this]".repeat(40);
        let long = "a".repeat(20_000);

        for property in [doubling, long] {
            let error = extract(&JSON.into(), &property, Dots::Raw).unwrap_err();
            assert!(!error.consequence().absent, "{error}");
            assert!(error.to_string().len() < 200, "{error}");
        }
    }

    #[test]
    fn a_value_that_no_secret_can_hold_is_refused() {
        let large = format!(r#"{{"v":"{}"}}"#, "x".repeat(1 << 20 | 1));

        let error = extract(&large.as_str().into(), "v", Dots::Raw).unwrap_err();

        assert!(!error.consequence().absent);
        assert!(error.to_string().contains("1048577 bytes"), "{error}");
    }

    #[test]
    fn a_property_that_makes_a_huge_array_is_refused_by_its_reason() {
        let error = set(&"{}".into(), "a.99999999", &"v".into()).unwrap_err();

        assert_eq!(error.kind(), &crate::error::ErrorKind::InvalidSpec);
        assert!(error.to_string().contains("index beyond 10000"), "{error}");
    }

    #[test]
    fn without_a_property_the_whole_value_is_wanted() {
        let whole = extract_wanted(JSON.into(), &RemoteRef::key("k"), Dots::Raw).unwrap();
        let empty = RemoteRef::key("k").property("");

        assert_eq!(whole, JSON.into());
        assert_eq!(
            extract_wanted(JSON.into(), &empty, Dots::Raw).unwrap(),
            whole
        );
    }
}
