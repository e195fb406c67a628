//! Reading of JSON string literals that are known to be well formed.
//!
//! What Go cannot represent becomes U+FFFD: lone surrogates, and each byte that is not UTF-8.

use std::borrow::Cow;

use crate::unicode::{decode_rune, to_valid_utf8};

/// The text of a literal, given without its quotes.
pub(super) fn unquote(inner: &[u8]) -> Cow<'_, str> {
    if !inner.contains(&b'\\') {
        return match std::str::from_utf8(inner) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(to_valid_utf8(inner)),
        };
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while !rest.is_empty() {
        let (rune, width) = if rest[0] == b'\\' {
            escape(rest)
        } else {
            decode_rune(rest)
        };
        text.push(rune);
        rest = rest.get(width..).unwrap_or_default();
    }
    Cow::Owned(text)
}

/// The character an escape stands for and the length of the escape.
fn escape(text: &[u8]) -> (char, usize) {
    let plain = match text.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(text),
        Some(&byte) => char::from(byte),
        None => char::REPLACEMENT_CHARACTER,
    };
    (plain, 2)
}

fn unicode_escape(text: &[u8]) -> (char, usize) {
    let Some(unit) = code_unit(text) else {
        return (char::REPLACEMENT_CHARACTER, 6);
    };
    if let Some(c) = char::from_u32(u32::from(unit)) {
        return (c, 6);
    }
    let pair = [Some(unit), text.get(6..).and_then(code_unit)];
    match char::decode_utf16(pair.into_iter().flatten()).next() {
        Some(Ok(c)) => (c, 12),
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
