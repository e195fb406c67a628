//! From bytes to text: encodings, and the characters YAML does not allow.

use std::borrow::Cow;

use super::Error;

/// Decodes UTF-8, or UTF-16 if the stream starts with its mark.
pub(super) fn decode(source: &[u8]) -> Result<Cow<'_, str>, Error> {
    let text = match source {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)?),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)?),
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(utf8(rest)?),
        _ => Cow::Borrowed(utf8(source)?),
    };
    if text.chars().any(|c| !is_allowed(c)) {
        return Err(control_character());
    }
    Ok(text)
}

fn control_character() -> Error {
    Error::syntax("control characters are not allowed")
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

fn utf8(source: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(source).map_err(|error| {
        // The first thing wrong counts, and that may be a character before.
        let (before, rest) = source.split_at(error.valid_up_to());
        match std::str::from_utf8(before) {
            Ok(before) if before.chars().any(|c| !is_allowed(c)) => control_character(),
            _ => Error::syntax(utf8_problem(rest)),
        }
    })
}

/// What is wrong with the sequence at the start of a text.
fn utf8_problem(rest: &[u8]) -> &'static str {
    let width = match rest.first() {
        Some(0xc0..0xe0) => 2,
        Some(0xe0..0xf0) => 3,
        Some(0xf0..0xf8) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(sequence) = rest.get(..width) else {
        return "incomplete UTF-8 octet sequence";
    };
    if sequence[1..].iter().any(|byte| byte & 0xc0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    match (sequence[0], sequence[1]) {
        (0xc0 | 0xc1, _) | (0xe0, ..0xa0) | (0xf0, ..0x90) => "invalid length of a UTF-8 sequence",
        _ => "invalid Unicode character",
    }
}

fn utf16(source: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let pairs = source.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(Error::syntax("incomplete UTF-16 character"));
    }
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .collect::<Result<_, _>>()
        .map_err(|error| {
            let low = error.unpaired_surrogate() >= 0xdc00;
            Error::syntax(if low {
                "unexpected low surrogate area"
            } else {
                "expected low surrogate area"
            })
        })
}
