//! Replacement templates: `$1`, `${1}`, `$name`, `${name}` and `$$`.
//!
//! A name is as long as letters, digits and underscores go on, so `$1x` is the group named `1x`.
//! Groups that do not exist, or took no part in the match, are empty.

use regex_automata::util::captures::Captures;

use super::text::Text;
use crate::unicode::{decode_rune, is_digit, is_letter};

pub(super) struct Template<'r> {
    pieces: Vec<Piece<'r>>,
}

enum Piece<'r> {
    Literal(&'r [u8]),
    /// The first of these groups that took part in the match.
    Groups(Vec<usize>),
}

impl<'r> Template<'r> {
    pub(super) fn literal(text: &'r [u8]) -> Self {
        Self {
            pieces: vec![Piece::Literal(text)],
        }
    }

    pub(super) fn parse(template: &'r [u8], names: &[Option<String>]) -> Self {
        let mut pieces = Vec::new();
        let mut rest = template;
        while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
            pieces.push(Piece::Literal(&rest[..dollar]));
            let after = &rest[dollar + 1..];
            if let Some((name, tail)) = reference(after) {
                pieces.push(Piece::Groups(groups(name, names)));
                rest = tail;
            } else {
                // A doubled dollar is one; a lone one is itself.
                pieces.push(Piece::Literal(b"$"));
                rest = after.strip_prefix(b"$").unwrap_or(after);
            }
        }
        pieces.push(Piece::Literal(rest));
        Self { pieces }
    }

    /// Whether groups other than the whole match are needed.
    pub(super) fn uses_groups(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Groups(_)))
    }

    pub(super) fn expand(&self, text: &Text<'_>, captures: &Captures, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) => out.extend_from_slice(literal),
                Piece::Groups(groups) => {
                    if let Some(span) = groups.iter().find_map(|index| captures.get_group(*index)) {
                        out.extend_from_slice(text.slice(span.start, span.end));
                    }
                }
            }
        }
    }
}

/// The name at the start of a text, in braces or not, and what follows it.
fn reference(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (braced, text) = match text {
        [b'{', inner @ ..] => (true, inner),
        _ => (false, text),
    };
    let mut length = 0;
    while let (rune, width @ 1..) = decode_rune(&text[length..])
        && (rune == '_' || is_letter(rune) || is_digit(rune))
    {
        length += width;
    }
    let (name, rest) = text.split_at(length);
    if name.is_empty() {
        return None;
    }
    if braced {
        return Some((name, rest.strip_prefix(b"}")?));
    }
    Some((name, rest))
}

/// The groups a name means: one by number, or all that carry it.
fn groups(name: &[u8], names: &[Option<String>]) -> Vec<usize> {
    let leading_zero = name.len() > 1 && name[0] == b'0';
    if name.iter().all(u8::is_ascii_digit) && !leading_zero {
        let number = std::str::from_utf8(name)
            .ok()
            .and_then(|digits| digits.parse().ok());
        return number.into_iter().collect();
    }
    let matches = |known: &Option<String>| known.as_ref().is_some_and(|n| n.as_bytes() == name);
    (0..names.len())
        .filter(|index| matches(&names[*index]))
        .collect()
}
