//! Line wrapping and the byte-wise functions of `goutils`.

use crate::context::Context;
use crate::failure::Outcome;
use crate::unicode::is_space;
use crate::value::Value;

/// Breaks a line at spaces so that it fits; long words are broken only if `hard`.
pub(super) fn wrap(
    cx: &mut Context<'_>,
    text: &[u8],
    width: i64,
    newline: &[u8],
    hard: bool,
) -> Outcome<Value> {
    let newline = if newline.is_empty() { b"\n" } else { newline };
    let width = usize::try_from(width).unwrap_or(0).max(1);
    // Each break costs at least one byte of text or a full line.
    let breaks = if hard {
        text.len() / width + spaces(text)
    } else {
        spaces(text)
    };
    cx.reserve(
        text.len()
            .saturating_add(breaks.saturating_add(1).saturating_mul(newline.len())),
    )?;
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while text.len() - at > width {
        if text[at] == b' ' {
            at += 1;
            continue;
        }
        if let Some(space) = memchr::memrchr(b' ', &text[at..=at + width]) {
            out.extend_from_slice(&text[at..at + space]);
            at += space + 1;
        } else if hard {
            out.extend_from_slice(&text[at..at + width]);
            at += width;
        } else {
            match memchr::memchr(b' ', &text[at + width..]) {
                None => {
                    out.extend_from_slice(&text[at..]);
                    at = text.len();
                    continue;
                }
                Some(space) => {
                    let end = at + width + space;
                    out.extend_from_slice(&text[at..end]);
                    at = end + 1;
                }
            }
        }
        out.extend_from_slice(newline);
    }
    out.extend_from_slice(&text[at..]);
    Ok(Value::from(out))
}

fn spaces(text: &[u8]) -> usize {
    memchr::memchr_iter(b' ', text).count()
}

/// Each byte is taken for a Latin-1 character, and written as such if any space was removed.
pub(super) fn without_spaces(text: &[u8]) -> Vec<u8> {
    let kept: Vec<char> = text
        .iter()
        .map(|b| char::from(*b))
        .filter(|rune| !is_space(*rune))
        .collect();
    if kept.len() == text.len() {
        return text.to_vec();
    }
    kept.into_iter().collect::<String>().into_bytes()
}

/// The first byte of each word, taken for a Latin-1 character.
pub(super) fn initials(text: &[u8]) -> Vec<u8> {
    let mut out = String::new();
    let mut gap = true;
    for rune in text.iter().map(|b| char::from(*b)) {
        if is_space(rune) {
            gap = true;
        } else if std::mem::take(&mut gap) {
            out.push(rune);
        }
    }
    out.into_bytes()
}
