//! The members of a JSON object with their source text, and the cursor both decoders share.
//!
//! The cursor walks JSON that is known to be well formed; on anything else it would return
//! nonsense, though never panic.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::quote::unquote;
use super::{Error, validate};

/// The value of one member of a JSON object, before it becomes secret data.
#[derive(Clone, PartialEq, Eq)]
pub enum Member<'a> {
    /// A string, unescaped; also `null`, which Go reads as the empty string.
    Text(Cow<'a, str>),
    /// Anything else, exactly as written.
    Raw(&'a [u8]),
}

impl Member<'_> {
    /// The bytes that go into a secret.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Raw(raw) => raw,
        }
    }

    /// The bytes that go into a secret, owned.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_owned().into_bytes(),
            Self::Raw(raw) => raw.to_vec(),
        }
    }
}

impl fmt::Debug for Member<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "member({} bytes)", self.as_bytes().len())
    }
}

/// Splits a JSON object into its members without decoding nested values.
///
/// A top-level `null` is an empty object; of duplicate keys the last one counts.
pub fn object_members(source: &[u8]) -> Result<BTreeMap<String, Member<'_>>, Error> {
    validate(source)?;
    let mut members = BTreeMap::new();
    let mut cursor = Cursor::new(source);
    let found = match cursor.peek() {
        Some(b'{') => {
            cursor.skip_byte();
            while let Some(key) = cursor.next_key() {
                members.insert(key.into_owned(), member(cursor.raw_value()));
            }
            return Ok(members);
        }
        Some(b'n') => return Ok(members),
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        _ => "number",
    };
    Err(Error::Type {
        found: found.to_owned(),
        wanted: "map[string]json.RawMessage",
    })
}

fn member(raw: &[u8]) -> Member<'_> {
    match raw.first() {
        Some(b'"') => Member::Text(Cursor::text(raw)),
        Some(b'n') => Member::Text(Cow::Borrowed("")),
        _ => Member::Raw(raw),
    }
}

/// A position in well-formed JSON.
pub(super) struct Cursor<'a> {
    source: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Self { source, at: 0 }
    }

    /// How many bytes were taken.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The first byte of the next token.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.source.get(self.at) {
            self.at += 1;
        }
        self.source.get(self.at).copied()
    }

    pub(super) fn skip_byte(&mut self) {
        self.at += 1;
    }

    /// After an opening bracket or an element: whether another element follows.
    pub(super) fn next_element(&mut self) -> bool {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                true
            }
            Some(b']') | None => {
                self.at += 1;
                false
            }
            Some(_) => true,
        }
    }

    /// After an opening brace or a member: the next key, with its colon consumed.
    pub(super) fn next_key(&mut self) -> Option<Cow<'a, str>> {
        if self.peek() == Some(b',') {
            self.at += 1;
        }
        if self.peek() != Some(b'"') {
            self.at += 1;
            return None;
        }
        let key = Self::text(self.scalar());
        self.peek();
        self.at += 1;
        Some(key)
    }

    /// The next scalar, as written.
    pub(super) fn scalar(&mut self) -> &'a [u8] {
        self.peek();
        let start = self.at;
        if self.source.get(start) == Some(&b'"') {
            self.skip_string();
        } else {
            while let Some(b'a'..=b'z' | b'E' | b'0'..=b'9' | b'.' | b'+' | b'-') =
                self.source.get(self.at)
            {
                self.at += 1;
            }
        }
        self.taken_from(start)
    }

    /// The next value of any kind, as written.
    pub(super) fn raw_value(&mut self) -> &'a [u8] {
        if !matches!(self.peek(), Some(b'{' | b'[')) {
            return self.scalar();
        }
        let start = self.at;
        let mut depth = 0usize;
        while let Some(byte) = self.source.get(self.at) {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        self.taken_from(start)
    }

    fn taken_from(&self, start: usize) -> &'a [u8] {
        self.source.get(start..self.at).unwrap_or_default()
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.source.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => self.at += 1,
                _ => {}
            }
        }
        self.at = self.at.min(self.source.len());
    }

    /// The text of a string literal with its quotes.
    pub(super) fn text(raw: &'a [u8]) -> Cow<'a, str> {
        unquote(raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default())
    }
}
