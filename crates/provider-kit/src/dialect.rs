//! How backends read a property out of a value, and a value as a map: upstream's providers differ,
//! and a migrated cluster must not see other bytes. Fields that a backend has itself (a title, a
//! password) are not dialects but its provider's own code. Errors never show a value.

use lockstep_golang::fmt::value_text;
use lockstep_golang::gjson::{Kind, valid};
use lockstep_provider_api::json::{Value, json_object, json_object_decoded};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{Dots, extract, try_find};

use self::members::{raw_members, strict_strings, yaml_members};

mod members;
#[cfg(test)]
mod tests;

/// What a property means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// A gjson path; the text at it.
    GjsonText,
    /// One member's name if it has dots and is there, else a gjson path; the text at it.
    EscapedDotThenGjson,
    /// A gjson path; anything but a string comes out empty.
    GjsonStrOnly,
    /// A gjson path; the JSON at it as written, strings with their quotes.
    GjsonRaw,
    /// A gjson path; strings without quotes, `null` empty, everything else as written.
    GjsonRawUnquoted,
    /// A member of the object; its JSON as written, strings with their quotes.
    TopLevelRaw,
    /// A member of the object; strings without quotes, everything else as written.
    TopLevelUnquoted,
    /// A member of an object that holds strings alone.
    StringMap,
    /// Not looked at: the whole value.
    Ignored,
}

impl Property {
    /// What is at a property; a missing one is a missing secret.
    pub fn extract(self, value: &SecretValue, property: &str) -> Result<SecretValue> {
        match self {
            Self::GjsonText => extract(value, property, Dots::Raw),
            Self::EscapedDotThenGjson => extract(value, property, Dots::EscapedThenRaw),
            Self::GjsonStrOnly => text_only(value, property),
            Self::GjsonRaw => raw(value, property),
            Self::GjsonRawUnquoted => raw_unquoted(value, property),
            Self::TopLevelRaw => member(raw_members(value)?, property),
            Self::TopLevelUnquoted => member(json_object(value)?, property),
            Self::StringMap => member(strict_strings(value)?, property),
            Self::Ignored => Ok(value.clone()),
        }
    }

    /// The value a reference wants: that of its property, or the whole where it names none.
    pub fn wanted(self, value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
        match reference.wanted_property() {
            None => Ok(value.clone()),
            Some(property) => self.extract(value, property),
        }
    }
}

/// What the members of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Those of a JSON object: strings unquoted, `null` empty, everything else as written.
    UnquoteStrings,
    /// Those of a JSON object of strings; anything else is an error.
    StrictStringMap,
    /// Those of a JSON object as written, strings with their quotes.
    RawJson,
    /// As written, less the quotes at both ends; escapes stay.
    TrimQuotes,
    /// Those of a decoded JSON object: plain decimals, compact objects with sorted keys.
    GoBytes,
    /// Those of a YAML mapping, which nearly every JSON object is too: mappings inside are YAML, everything
    /// else is as Go prints it. Those of other JSON objects as with `UnquoteStrings`.
    YamlThenJson,
}

impl Members {
    /// The members of a value.
    pub fn of(self, value: &SecretValue) -> Result<SecretMap> {
        match self {
            Self::UnquoteStrings => json_object(value),
            Self::StrictStringMap => strict_strings(value),
            Self::RawJson => raw_members(value),
            Self::TrimQuotes => Ok(raw_members(value)?.into_iter().map(trimmed).collect()),
            Self::GoBytes => json_object_decoded(value),
            Self::YamlThenJson => yaml_members(value),
        }
    }
}

fn text_only(value: &SecretValue, property: &str) -> Result<SecretValue> {
    let hit = try_find(value, property, Dots::Raw)?.ok_or_else(Error::not_found)?;
    Ok(match hit.kind() {
        Kind::String => SecretValue::from(hit.text()),
        _ => SecretValue::default(),
    })
}

fn raw_unquoted(value: &SecretValue, property: &str) -> Result<SecretValue> {
    let hit = try_find(value, property, Dots::Raw)?.ok_or_else(Error::not_found)?;
    Ok(match hit.kind() {
        Kind::Null => SecretValue::default(),
        Kind::String => SecretValue::from(hit.text()),
        _ => SecretValue::from(hit.raw()),
    })
}

fn raw(value: &SecretValue, property: &str) -> Result<SecretValue> {
    let hit = try_find(value, property, Dots::Raw)?.ok_or_else(Error::not_found)?;
    Ok(SecretValue::from(hit.raw()))
}

fn member(mut members: SecretMap, name: &str) -> Result<SecretValue> {
    members.remove(name).ok_or_else(Error::not_found)
}

fn trimmed((name, value): (String, SecretValue)) -> (String, SecretValue) {
    let text = value.expose();
    let start = text.iter().take_while(|byte| **byte == b'"').count();
    let end = text.iter().rev().take_while(|byte| **byte == b'"').count();
    let inner = text.get(start..text.len().saturating_sub(end));
    (name, SecretValue::from(inner.unwrap_or_default()))
}

/// A decoded value as Go prints it (`%v`), for backends whose fields upstream hands on that way.
pub fn printed(value: &Value) -> SecretValue {
    SecretValue::from(value_text(value))
}

/// Whether a value is a JSON object, for pushes that set or remove a property of it.
pub fn is_object(value: &SecretValue) -> bool {
    let text = value.expose();
    valid(text) && text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}
