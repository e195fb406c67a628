//! Parts of strings, counted in bytes.

use crate::failure::{Failure, Outcome};

fn bounds(text: String) -> Failure {
    Failure::new(format!("runtime error: slice bounds out of range {text}"))
}

/// `substr`: a negative start means from the beginning, a negative or too large end to the end.
pub(super) fn substring(start: i64, end: i64, text: &[u8]) -> Outcome<&[u8]> {
    let len = text.len();
    let to = usize::try_from(end).ok();
    let Ok(from) = usize::try_from(start) else {
        return match to {
            None => Err(bounds(format!("[:{end}]"))),
            Some(to) => text
                .get(..to)
                .ok_or_else(|| bounds(format!("[:{to}] with length {len}"))),
        };
    };
    match to.filter(|to| *to <= len) {
        None => text
            .get(from..)
            .ok_or_else(|| bounds(format!("[{from}:{len}]"))),
        Some(to) => text
            .get(from..to)
            .ok_or_else(|| bounds(format!("[{from}:{to}]"))),
    }
}

/// `trunc`: the first bytes, or with a negative count the last.
pub(super) fn truncate(count: i64, text: &[u8]) -> &[u8] {
    let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if size >= text.len() {
        // Cutting everything off at the front is refused, as upstream does.
        return text;
    }
    if count < 0 {
        &text[text.len() - size..]
    } else {
        &text[..size]
    }
}

/// `abbrev` and `abbrevboth`: an ellipsis at the end, and at the beginning if `left` is far enough.
pub(super) fn abbreviate(left: i64, width: i64, text: &[u8]) -> Vec<u8> {
    if width < 4 || left > 0 && width < 7 {
        return text.to_vec();
    }
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    abbreviate_full(text, left, width)
}

fn abbreviate_full(text: &[u8], left: i64, width: usize) -> Vec<u8> {
    if text.len() <= width {
        return text.to_vec();
    }
    let keep = width - 3;
    let mut offset = usize::try_from(left).unwrap_or(0).min(text.len());
    if text.len() - offset < keep {
        offset = text.len() - keep;
    }
    if offset <= 4 {
        return [&text[..keep], b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    if offset + keep < text.len() {
        return [b"...", abbreviate_full(&text[offset..], 0, keep).as_slice()].concat();
    }
    [b"...", &text[text.len() - keep..]].concat()
}
