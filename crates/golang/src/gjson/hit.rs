//! A value found by a path.
//!
//! Its `Debug` form shows kind and size only, because values are often secrets.

use std::borrow::Cow;
use std::fmt;

use super::token;
use crate::float;

/// What kind of JSON a [`Hit`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `null`
    Null,
    /// `false`
    False,
    /// A number, also `NaN` and `Inf`.
    Number,
    /// A string.
    String,
    /// `true`
    True,
    /// An object or array.
    Json,
}

/// A value found by a path.
#[derive(Clone, PartialEq)]
pub struct Hit<'a> {
    pub(super) kind: Kind,
    pub(super) raw: Cow<'a, [u8]>,
    pub(super) text: Cow<'a, [u8]>,
    pub(super) number: f64,
}

impl<'a> Hit<'a> {
    /// What kind of JSON this is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The value as written in the JSON: strings with quotes, containers with their spaces.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The unescaped text if this is a string, else empty.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The number if this is one, else 0; what float64 cannot hold is rounded.
    pub fn number(&self) -> f64 {
        self.number
    }

    /// The value as a secret: strings unescaped, integers verbatim, other numbers as plain
    /// decimals, `null` empty, containers as written.
    pub fn string(&self) -> Cow<'_, [u8]> {
        match self.kind {
            Kind::Null => Cow::Borrowed(b""),
            Kind::False => Cow::Borrowed(b"false"),
            Kind::True => Cow::Borrowed(b"true"),
            Kind::String => Cow::Borrowed(&self.text),
            Kind::Json => Cow::Borrowed(&self.raw),
            Kind::Number => {
                let digits = self.raw.strip_prefix(b"-").unwrap_or(&self.raw);
                if digits.iter().all(u8::is_ascii_digit) {
                    return Cow::Borrowed(&self.raw);
                }
                Cow::Owned(float::fixed(self.number).into_bytes())
            }
        }
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        self.kind == Kind::Json && self.raw.first() == Some(&b'{')
    }

    /// Whether this is an array.
    pub fn is_array(&self) -> bool {
        self.kind == Kind::Json && self.raw.first() == Some(&b'[')
    }

    /// The same value, independent of the JSON it was found in.
    pub fn into_owned(self) -> Hit<'static> {
        Hit {
            kind: self.kind,
            raw: Cow::Owned(self.raw.into_owned()),
            text: Cow::Owned(self.text.into_owned()),
            number: self.number,
        }
    }

    pub(super) fn json(raw: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            kind: Kind::Json,
            raw: raw.into(),
            text: Cow::Borrowed(b""),
            number: 0.0,
        }
    }

    pub(super) fn literal(kind: Kind, raw: &'a [u8]) -> Self {
        Self {
            kind,
            raw: Cow::Borrowed(raw),
            text: Cow::Borrowed(b""),
            number: 0.0,
        }
    }

    pub(super) fn numeric(raw: &'a [u8]) -> Self {
        Self {
            kind: Kind::Number,
            raw: Cow::Borrowed(raw),
            text: Cow::Borrowed(b""),
            number: float::parse_lossy(raw),
        }
    }

    /// A string from its literal without quotes.
    pub(super) fn quoted(raw: &'a [u8], inner: &'a [u8]) -> Self {
        let text = if inner.contains(&b'\\') {
            Cow::Owned(token::unescape(inner))
        } else {
            Cow::Borrowed(inner)
        };
        Self {
            kind: Kind::String,
            raw: Cow::Borrowed(raw),
            text,
            number: 0.0,
        }
    }

    pub(super) fn count(count: usize) -> Self {
        let raw = count.to_string().into_bytes();
        let number = float::parse_lossy(&raw);
        Self {
            kind: Kind::Number,
            raw: Cow::Owned(raw),
            text: Cow::Borrowed(b""),
            number,
        }
    }

    /// gjson's `Bool`, which options of modifiers use.
    pub(super) fn truthy(&self) -> bool {
        match self.kind {
            Kind::True => true,
            Kind::String => parse_bool(&self.text) == Some(true),
            Kind::Number => self.number != 0.0,
            _ => false,
        }
    }
}

/// Go's `strconv.ParseBool` without regard to case.
pub(super) fn parse_bool(text: &[u8]) -> Option<bool> {
    match text.to_ascii_lowercase().as_slice() {
        b"1" | b"t" | b"true" => Some(true),
        b"0" | b"f" | b"false" => Some(false),
        _ => None,
    }
}

impl fmt::Debug for Hit<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Hit({:?}, {} bytes)", self.kind, self.raw.len())
    }
}
