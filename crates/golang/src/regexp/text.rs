//! The text a search runs over, made UTF-8 if it was not.
//!
//! Go reads each illegal byte as U+FFFD. Putting that character in its place, and counting back
//! afterwards, gives the same matches at the same positions.

use std::borrow::Cow;

use crate::unicode::decode_rune;

const STAND_IN: &str = "\u{fffd}";

pub(super) struct Text<'t> {
    source: &'t [u8],
    valid: Cow<'t, [u8]>,
    /// Where a stand-in was put, as positions in `valid`.
    patched: Vec<usize>,
}

impl<'t> Text<'t> {
    pub(super) fn new(source: &'t [u8]) -> Self {
        if std::str::from_utf8(source).is_ok() {
            return Self {
                source,
                valid: Cow::Borrowed(source),
                patched: Vec::new(),
            };
        }
        let mut valid = Vec::with_capacity(source.len() + 64);
        let mut patched = Vec::new();
        let mut rest = source;
        while !rest.is_empty() {
            let (rune, width) = decode_rune(rest);
            if width == 1 && rune == char::REPLACEMENT_CHARACTER {
                patched.push(valid.len());
                valid.extend_from_slice(STAND_IN.as_bytes());
            } else {
                valid.extend_from_slice(&rest[..width]);
            }
            rest = &rest[width..];
        }
        Self {
            source,
            valid: Cow::Owned(valid),
            patched,
        }
    }

    /// The text to search.
    pub(super) fn valid(&self) -> &[u8] {
        &self.valid
    }

    /// The position in the source that a position in the searched text stands for.
    pub(super) fn original(&self, at: usize) -> usize {
        let before = self.patched.partition_point(|patched| *patched < at);
        at - before * (STAND_IN.len() - 1)
    }

    /// The part of the source between two positions in the searched text.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'t [u8] {
        self.source
            .get(self.original(from)..self.original(to))
            .unwrap_or_default()
    }

    /// The width of the character at a position in the searched text; 0 at its end.
    pub(super) fn width(&self, at: usize) -> usize {
        match self.valid.get(at) {
            None => 0,
            Some(0..0x80) => 1,
            Some(0x80..0xe0) => 2,
            Some(0xe0..0xf0) => 3,
            Some(_) => 4,
        }
    }
}
