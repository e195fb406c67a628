//! What a scalar means, by its tag and, if written plainly, by its form.

use super::integer::{self, Integer};
use super::parser::Scalar;
use super::timestamp;
use super::{Error, Version};
use crate::{base64, float};

/// A scalar with its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resolved {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    /// Text, which after `!!binary` need not be UTF-8.
    Text(Vec<u8>),
}

const PREFIX: &str = "tag:yaml.org,2002:";

/// The types a tag can ask for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tag {
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
}

impl Tag {
    fn name(self) -> &'static str {
        match self {
            Self::Str => "!!str",
            Self::Bool => "!!bool",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Null => "!!null",
            Self::Timestamp => "!!timestamp",
        }
    }
}

/// Resolves a scalar.
pub(super) fn resolve(scalar: &Scalar, version: Version) -> Result<Resolved, Error> {
    let text = scalar.text.as_str();
    let plain_text = || Ok(Resolved::Text(text.as_bytes().to_vec()));
    if scalar.tag.is_empty() {
        return if scalar.plain {
            Ok(by_form(text, true, version).1)
        } else {
            plain_text()
        };
    }
    let want = match scalar.tag.strip_prefix(PREFIX) {
        Some("binary") => {
            return base64::decode(base64::Encoding::Standard, text.as_bytes())
                .map(Resolved::Text)
                .map_err(|_| Error::syntax("!!binary value contains invalid base64 data"));
        }
        Some("bool") => Tag::Bool,
        Some("int") => Tag::Int,
        Some("float") => Tag::Float,
        Some("null") => Tag::Null,
        Some("timestamp") => Tag::Timestamp,
        // Text, or of a type nobody knows.
        _ => return plain_text(),
    };
    match by_form(text, want == Tag::Timestamp, version) {
        (tag, resolved) if tag == want => Ok(resolved),
        (_, Resolved::Integer(Integer::Signed(value))) if want == Tag::Float =>
        {
            #[expect(clippy::cast_precision_loss, reason = "Go converts the same way")]
            Ok(Resolved::Float(value as f64))
        }
        (tag, _) => {
            let problem = format!("cannot decode {} `{text}` as a {}", tag.name(), want.name());
            Err(Error::syntax(problem))
        }
    }
}

/// Whether the form of a plain scalar makes it a string.
pub(super) fn is_string(text: &str) -> bool {
    by_form(text, true, Version::V2).0 == Tag::Str
}

/// Words that were booleans before YAML 1.2.
const OLD_BOOLEANS: [&str; 16] = [
    "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off",
    "OFF",
];

/// Resolves by form alone; timestamps stay text but are told apart where they count.
fn by_form(text: &str, timestamps: bool, version: Version) -> (Tag, Resolved) {
    let string = || (Tag::Str, Resolved::Text(text.as_bytes().to_vec()));
    if version == Version::V3 && OLD_BOOLEANS.contains(&text) {
        return string();
    }
    if let Some(word) = by_word(text) {
        return word;
    }
    match text.as_bytes().first() {
        Some(b'.') => match float::parse(text.as_bytes()) {
            Ok(number) => (Tag::Float, Resolved::Float(number)),
            Err(_) => string(),
        },
        Some(b'0'..=b'9' | b'+' | b'-') => {
            if timestamps && timestamp::is_timestamp(text) {
                return (Tag::Timestamp, Resolved::Text(text.as_bytes().to_vec()));
            }
            by_digits(&text.replace('_', "")).unwrap_or_else(string)
        }
        _ => string(),
    }
}

fn by_word(text: &str) -> Option<(Tag, Resolved)> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            (Tag::Bool, Resolved::Bool(true))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            (Tag::Bool, Resolved::Bool(false))
        }
        "" | "~" | "null" | "Null" | "NULL" => (Tag::Null, Resolved::Null),
        ".nan" | ".NaN" | ".NAN" => (Tag::Float, Resolved::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            (Tag::Float, Resolved::Float(f64::INFINITY))
        }
        "-.inf" | "-.Inf" | "-.INF" => (Tag::Float, Resolved::Float(f64::NEG_INFINITY)),
        _ => return None,
    })
}

/// Resolves digits without their underscores.
fn by_digits(digits: &str) -> Option<(Tag, Resolved)> {
    let integer = |found| (Tag::Int, Resolved::Integer(found));
    if let Some(found) = integer::parse(digits) {
        return Some(integer(found));
    }
    if is_float(digits.as_bytes())
        && let Ok(number) = float::parse(digits.as_bytes())
    {
        return Some((Tag::Float, Resolved::Float(number)));
    }
    // Go tries binary once more, by hand, and so lets a sign stand behind the prefix.
    if let Some(binary) = digits.strip_prefix("0b") {
        return integer::parse_base(binary, 2).map(integer);
    }
    None
}

/// Digits with at most one point, and an optional exponent.
fn is_float(text: &[u8]) -> bool {
    let text = match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    };
    let (mantissa, exponent) = match text.iter().position(|byte| byte | 0x20 == b'e') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let mantissa = match mantissa.iter().position(|byte| *byte == b'.') {
        Some(0) => digits(&mantissa[1..]),
        Some(at) => digits(&mantissa[..at]) && mantissa[at + 1..].iter().all(u8::is_ascii_digit),
        None => digits(mantissa),
    };
    let exponent = exponent.is_none_or(|exponent| match exponent {
        [b'+' | b'-', rest @ ..] => digits(rest),
        _ => digits(exponent),
    });
    mantissa && exponent
}
