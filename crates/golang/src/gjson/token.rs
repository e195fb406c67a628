//! The smallest pieces: where a value starts and ends in possibly malformed JSON.
//!
//! Containers end where their brackets balance, whatever kind of bracket; nothing is validated.

use std::borrow::Cow;

use super::{Hit, Kind};

/// How a value begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Quote,
    Object,
    Array,
    Literal,
    Number,
}

/// The kind of value that the byte at `at` begins, if any.
pub(super) fn start_at(json: &[u8], at: usize) -> Option<Start> {
    Some(match json[at] {
        b'"' => Start::Quote,
        b'{' => Start::Object,
        b'[' => Start::Array,
        b't' | b'f' => Start::Literal,
        b'n' if matches!(json.get(at + 1), None | Some(b'u')) => Start::Literal,
        b'n' | b'+' | b'-' | b'0'..=b'9' | b'i' | b'I' | b'N' => Start::Number,
        _ => return None,
    })
}

/// The next position from `at` on where a value begins.
pub(super) fn find_start(json: &[u8], at: usize) -> Option<(usize, Start)> {
    (at..json.len()).find_map(|at| start_at(json, at).map(|start| (at, start)))
}

/// Where reading goes on behind the value that begins at `at`; nothing for a string that is never
/// closed. A container that ends inside such a string leads beyond the end of the text.
pub(super) fn end_of(json: &[u8], at: usize, start: Start) -> Option<usize> {
    match start {
        Start::Quote => close_quote(json, at + 1).map(|quote| quote + 1),
        Start::Object | Start::Array => Some(behind_container(json, at)),
        Start::Literal => Some(end_of_literal(json, at)),
        Start::Number => Some(end_of_number(json, at)),
    }
}

/// Makes a hit of the value between two positions.
pub(super) fn hit(json: &[u8], at: usize, end: usize, start: Start) -> Hit<'_> {
    let raw = slice(json, at, end);
    match start {
        Start::Quote => Hit::quoted(raw, &raw[1..raw.len() - 1]),
        Start::Object | Start::Array => Hit::json(raw),
        Start::Number => Hit::numeric(raw),
        Start::Literal => Hit::literal(literal_kind(raw), raw),
    }
}

/// Reads the next value at or after `at`; returns it with the position behind it.
pub(super) fn next_value(json: &[u8], at: usize) -> Option<(Hit<'_>, usize)> {
    let (at, start) = find_start(json, at)?;
    let end = end_of(json, at, start)?;
    Some((hit(json, at, end, start), end))
}

/// Reads the first value of a text; a container takes all the rest.
pub(super) fn parse(json: &[u8]) -> Option<Hit<'_>> {
    let at = json.iter().position(|byte| *byte > b' ')?;
    let start = start_at(json, at)?;
    match start {
        Start::Object | Start::Array => return Some(Hit::json(&json[at..])),
        Start::Quote if close_quote(json, at + 1).is_none() => {
            let inner = &json[at + 1..];
            return Some(Hit::quoted(&json[at..], inner));
        }
        _ => {}
    }
    let end = end_of(json, at, start)?;
    Some(hit(json, at, end, start))
}

fn literal_kind(raw: &[u8]) -> Kind {
    match raw.first() {
        Some(b't') => Kind::True,
        Some(b'f') => Kind::False,
        _ => Kind::Null,
    }
}

/// The position of the quote that closes a string whose text begins at `at`.
pub(super) fn close_quote(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += json
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\'))?;
        if json[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn end_of_literal(json: &[u8], at: usize) -> usize {
    let rest = json[at + 1..]
        .iter()
        .position(|byte| !byte.is_ascii_lowercase());
    rest.map_or(json.len(), |length| at + 1 + length)
}

fn end_of_number(json: &[u8], at: usize) -> usize {
    let stop = |byte: &u8| *byte <= b' ' || matches!(byte, b',' | b']' | b'}');
    json[at + 1..]
        .iter()
        .position(stop)
        .map_or(json.len(), |length| at + 1 + length)
}

/// The text between two positions, the second of which may lie beyond the end.
pub(super) fn slice(json: &[u8], at: usize, end: usize) -> &[u8] {
    &json[at..end.min(json.len())]
}

/// The end of what the byte at `at` opens.
pub(super) fn end_of_container(json: &[u8], at: usize) -> usize {
    behind_container(json, at).min(json.len())
}

/// The byte at `at` itself is taken for a bracket of any kind.
fn behind_container(json: &[u8], at: usize) -> usize {
    let mut depth = 1usize;
    let mut at = at + 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => match close_quote(json, at + 1) {
                Some(quote) => at = quote,
                None => return json.len() + 1,
            },
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    json.len()
}

/// The length of the bracketed or quoted text at the start of a path.
pub(super) fn bracketed_length(path: &[u8]) -> usize {
    match path.first() {
        None => 0,
        Some(b'"') => close_quote(path, 1).map_or(path.len(), |quote| quote + 1),
        Some(_) => end_of_container(path, 0),
    }
}

/// Unescapes the inside of a string literal, stopping at the first thing that is not legal there.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            0..b' ' => break,
            b'\\' => match escape(&text[at..]) {
                Some((c, length)) => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    at += length;
                }
                None => break,
            },
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

fn escape(text: &[u8]) -> Option<(char, usize)> {
    let c = match text.get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        byte @ (b'\\' | b'/' | b'"') => char::from(*byte),
        b'u' => return unicode_escape(text),
        _ => return None,
    };
    Some((c, 2))
}

/// A surrogate takes the escape after it along, whether or not the two make a pair.
fn unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let unit = code_unit(text.get(2..6)?);
    if let Some(c) = char::from_u32(u32::from(unit)) {
        return Some((c, 6));
    }
    let Some(low) = text.get(8..12).filter(|_| text[6..].starts_with(b"\\u")) else {
        return Some((char::REPLACEMENT_CHARACTER, 6));
    };
    let pair = char::decode_utf16([unit, code_unit(low)]).next();
    Some((
        pair.and_then(Result::ok)
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        12,
    ))
}

/// Four hexadecimal digits; anything else counts as zero.
fn code_unit(digits: &[u8]) -> u16 {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return 0;
    }
    let text = std::str::from_utf8(digits).unwrap_or_default();
    u16::from_str_radix(text, 16).unwrap_or_default()
}

/// Calls `visit` with the key and value of each member, or the value of each element.
///
/// Anything but a container is visited once, without key. Keys come as hits of kind string.
pub(super) fn for_each<'a>(hit: &'a Hit<'_>, mut visit: impl FnMut(Option<Hit<'a>>, Hit<'a>)) {
    if hit.kind != Kind::Json {
        let copy = Hit {
            raw: Cow::Borrowed(&hit.raw),
            text: Cow::Borrowed(&hit.text),
            ..*hit
        };
        return visit(None, copy);
    }
    let json: &[u8] = &hit.raw;
    let Some(open) = json.iter().position(|byte| *byte > b' ') else {
        return;
    };
    let object = json[open] == b'{';
    let mut at = open + 1;
    while at < json.len() {
        let mut key = None;
        if object {
            let Some(quote) = json[at..].iter().position(|byte| *byte == b'"') else {
                return;
            };
            let Some(end) = end_of(json, at + quote, Start::Quote) else {
                return;
            };
            key = Some(self::hit(json, at + quote, end, Start::Quote));
            at = end;
        }
        let Some((value, end)) = next_value(json, at) else {
            return;
        };
        visit(key, value);
        // One byte is always taken for the comma.
        at = end + 1;
    }
}
