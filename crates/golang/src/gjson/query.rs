//! Queries over array elements: `#(name=="x")`, with the operators `= == != < <= > >= % !%`.
//!
//! A value that starts with `~` compares by truthiness; a query without operator asks whether the
//! path exists.

use std::borrow::Cow;

use super::budget::Budget;
use super::hit::{Kind, parse_bool};
use super::path::close_path_quote;
use super::{Hit, token, wildcard};
use crate::float;

/// A parsed query.
#[derive(Default)]
pub(super) struct Query<'p> {
    pub(super) path: &'p [u8],
    op: &'p [u8],
    value: Cow<'p, [u8]>,
}

/// Parses a query that begins with `#(` or `#[`; returns it with the position behind it.
pub(super) fn parse(text: &[u8]) -> Option<(Query<'_>, usize)> {
    let mut depth = 1usize;
    let mut operator = None;
    let mut escaped = false;
    let mut at = 2;
    loop {
        match text.get(at)? {
            b'!' | b'=' | b'<' | b'>' | b'%' if depth == 1 && operator.is_none() => {
                operator = Some(at);
            }
            b'\\' => at += 1,
            b'[' | b'(' => depth += 1,
            b']' | b')' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            b'"' => {
                let end = close_path_quote(text, at + 1);
                escaped |= text[at..end].contains(&b'\\');
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    let query = match operator {
        None => Query {
            path: trim(&text[2..at]),
            ..Query::default()
        },
        Some(operator) => {
            let (op, value) = split_operator(trim(&text[operator..at]));
            Query {
                path: trim(&text[2..operator]),
                op,
                value: unquote(value, escaped),
            }
        }
    };
    Some((query, at + 1))
}

fn split_operator(text: &[u8]) -> (&[u8], &[u8]) {
    let (op, value) = match text {
        [_] => text.split_at(1),
        [b'=', b'=', ..] => (&text[1..2], &text[2..]),
        [b'!', b'=' | b'%', ..] | [b'<' | b'>', b'=', ..] => text.split_at(2),
        [b'!', ..] => text.split_at(0),
        _ => text.split_at(1),
    };
    (op, trim(value))
}

fn unquote(value: &[u8], escaped: bool) -> Cow<'_, [u8]> {
    match value {
        [b'"', inner @ .., b'"'] if escaped => Cow::Owned(token::unescape(inner)),
        [b'"', inner @ .., b'"'] => Cow::Borrowed(inner),
        _ => Cow::Borrowed(value),
    }
}

pub(super) fn trim(text: &[u8]) -> &[u8] {
    let start = text
        .iter()
        .position(|byte| *byte > b' ')
        .unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|byte| *byte > b' ')
        .map_or(start, |last| last + 1);
    &text[start..end]
}

impl Query<'_> {
    /// Whether the value found at the query's path satisfies it.
    pub(super) fn accepts(&self, found: Option<&Hit<'_>>, budget: &Budget) -> bool {
        if !budget.spend(self.value.len()) {
            return false;
        }
        if let Some(word) = self.value.strip_prefix(b"~") {
            return match truthiness(word, found) {
                Some(_) if self.op.is_empty() => true,
                Some(holds) => self.compare_bool(holds, b"true"),
                None => false,
            };
        }
        let Some(found) = found else {
            return false;
        };
        if self.op.is_empty() {
            return true;
        }
        match found.kind {
            Kind::String => self.compare_text(&found.text, budget),
            Kind::Number => self.compare_number(found.number),
            Kind::True => self.compare_bool(true, &self.value),
            Kind::False => self.compare_bool(false, &self.value),
            Kind::Null | Kind::Json => false,
        }
    }

    fn compare_text(&self, text: &[u8], budget: &Budget) -> bool {
        let value: &[u8] = &self.value;
        match self.op {
            b"=" => text == value,
            b"!=" => text != value,
            b"<" => text < value,
            b"<=" => text <= value,
            b">" => text > value,
            b">=" => text >= value,
            b"%" => wildcard::matches(text, value, budget),
            b"!%" => !wildcard::matches(text, value, budget),
            _ => false,
        }
    }

    #[expect(clippy::float_cmp, reason = "gjson compares exactly")]
    fn compare_number(&self, number: f64) -> bool {
        let value = float::parse_lossy(&self.value);
        match self.op {
            b"=" => number == value,
            b"!=" => number != value,
            b"<" => number < value,
            b"<=" => number <= value,
            b">" => number > value,
            b">=" => number >= value,
            _ => false,
        }
    }

    fn compare_bool(&self, flag: bool, value: &[u8]) -> bool {
        let (same, other): (&[u8], &[u8]) = if flag {
            (b"true", b"false")
        } else {
            (b"false", b"true")
        };
        match (self.op, flag) {
            (b"=", _) => value == same,
            (b"!=", _) => value != same,
            (b">", true) | (b"<", false) => value == other,
            (b">=", true) | (b"<=", false) => true,
            _ => false,
        }
    }
}

/// Whether the value is what the word after `~` says; nothing for an unknown word.
fn truthiness(word: &[u8], found: Option<&Hit<'_>>) -> Option<bool> {
    let kind = found.map_or(Kind::Null, |hit| hit.kind);
    let text = found.map_or(&b""[..], |hit| &hit.text);
    let number = found.map_or(0.0, |hit| hit.number);
    Some(match (word, kind) {
        (b"*", _) => found.is_some(),
        (b"null", _) => kind == Kind::Null,
        (b"true", Kind::True) | (b"false", Kind::Null | Kind::False) => true,
        (b"true", Kind::String) => parse_bool(text) == Some(true),
        (b"false", Kind::String) => parse_bool(text) == Some(false),
        (b"true", Kind::Number) => number != 0.0,
        (b"false", Kind::Number) => number == 0.0,
        (b"true" | b"false", _) => false,
        _ => return None,
    })
}
