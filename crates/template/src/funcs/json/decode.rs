//! Reads everyday JSON straight into template values.
//!
//! Anything unusual (odd escapes, bytes that are no UTF-8, deep nesting, errors of any kind) is
//! left to the complete decoder, which knows Go's answer; this one only has to be fast and, where
//! it answers, right.

use std::collections::BTreeMap;

use lockstep_golang::float;

use crate::limits::{Exceeded, Meter};
use crate::value::{List, Map, Str, Value};

/// Nesting that is still everyday.
const DEPTH: usize = 32;

/// The value of `text`, or nothing if the complete decoder has to look at it.
pub(super) fn decode(meter: &mut Meter, text: &[u8]) -> Result<Option<Value>, Exceeded> {
    // Strings and numbers cannot take more room than their text.
    meter.charge(text.len())?;
    if std::str::from_utf8(text).is_err() {
        return Ok(None);
    }
    let mut decoder = Decoder {
        rest: text,
        items: 0,
    };
    let value = decoder.value(0);
    decoder.skip_space();
    if !decoder.rest.is_empty() {
        return Ok(None);
    }
    meter.charge_items(decoder.items)?;
    Ok(value)
}

struct Decoder<'t> {
    rest: &'t [u8],
    items: usize,
}

impl Decoder<'_> {
    fn skip_space(&mut self) {
        let space = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
        let spaces = self
            .rest
            .iter()
            .position(|b| !space(b))
            .unwrap_or(self.rest.len());
        self.rest = &self.rest[spaces..];
    }

    /// Skips space and takes the byte, if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.rest.first() == Some(&byte);
        self.rest = &self.rest[usize::from(found)..];
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        self.items += 1;
        match self.rest.first()? {
            b'"' => self.string().map(Value::Str),
            b'{' if depth < DEPTH => self.object(depth + 1),
            b'[' if depth < DEPTH => self.array(depth + 1),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true", Value::Bool(true)),
            b'f' => self.word(b"false", Value::Bool(false)),
            b'n' => self.word(b"null", Value::Nil),
            _ => None,
        }
    }

    fn word(&mut self, word: &[u8], value: Value) -> Option<Value> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(value)
    }

    /// Only digits with an optional sign and fraction; exponents are left alone.
    fn number(&mut self) -> Option<Value> {
        let len = self
            .rest
            .iter()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b'-'))
            .count();
        let (text, rest) = self.rest.split_at(len);
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let (whole, fraction) = match memchr::memchr(b'.', digits) {
            Some(at) => (&digits[..at], Some(&digits[at + 1..])),
            None => (digits, None),
        };
        let all_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let padded = whole.len() > 1 && whole[0] == b'0';
        if padded || !all_digits(whole) || fraction.is_some_and(|part| !all_digits(part)) {
            return None;
        }
        if matches!(rest.first(), Some(b'e' | b'E')) {
            return None;
        }
        self.rest = rest;
        float::parse(text).ok().map(Value::Float)
    }

    /// A string whose escapes are the short ones.
    fn string(&mut self) -> Option<Str> {
        self.rest = self.rest.strip_prefix(b"\"")?;
        let end = self
            .rest
            .iter()
            .position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))?;
        if self.rest[end] == b'"' {
            let text = Str::from(&self.rest[..end]);
            self.rest = &self.rest[end + 1..];
            return Some(text);
        }
        let mut out = self.rest[..end].to_vec();
        self.rest = &self.rest[end..];
        loop {
            match self.rest {
                [b'"', rest @ ..] => {
                    self.rest = rest;
                    return Some(Str::from(out));
                }
                [b'\\', escape, rest @ ..] => {
                    out.push(match escape {
                        b'"' | b'\\' | b'/' => *escape,
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        _ => return None,
                    });
                    self.rest = rest;
                }
                [0..=0x1f, ..] | [] => return None,
                [byte, rest @ ..] => {
                    out.push(*byte);
                    self.rest = rest;
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take(b'[');
        let mut items = Vec::new();
        if self.take(b']') {
            return Some(Value::List(List::any(items)));
        }
        loop {
            items.push(self.value(depth)?);
            if self.take(b']') {
                return Some(Value::List(List::any(items)));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take(b'{');
        let mut members = BTreeMap::new();
        if self.take(b'}') {
            return Some(Value::Map(Map::new(members)));
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            if !self.take(b':') {
                return None;
            }
            let value = self.value(depth)?;
            members.insert(key, value);
            if self.take(b'}') {
                return Some(Value::Map(Map::new(members)));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }
}
