//! The order of members under `@pretty:{"sortKeys":true}`.
//!
//! By key; equal keys by kind of value, then by value.

use std::cmp::Ordering;
use std::ops::Range;

use crate::float;
use crate::gjson::modifier::trim_space;
use crate::gjson::token;
use crate::json;

/// A member already printed: its key in the JSON and its text in the output.
pub(super) struct Pair {
    pub(super) key: Range<usize>,
    pub(super) text: Range<usize>,
}

/// Rewrites the members at the end of the output in their order.
pub(super) fn sort(json: &[u8], out: &mut Vec<u8>, mut pairs: Vec<Pair>) {
    let Some(start) = pairs.first().map(|pair| pair.text.start) else {
        return;
    };
    pairs.sort_by(|a, b| {
        let (key_a, key_b) = (&json[a.key.clone()], &json[b.key.clone()]);
        let value_of = |pair: &Pair| value(&out[pair.text.clone()], pair.key.len());
        compare(key_a, key_b).then_with(|| compare(value_of(a), value_of(b)))
    });
    let texts: Vec<&[u8]> = pairs.iter().map(|pair| &out[pair.text.clone()]).collect();
    let sorted = texts.join(&b",\n"[..]);
    out.truncate(start);
    out.extend_from_slice(&sorted);
}

/// The value in the text of a member, behind its key and colon.
fn value(text: &[u8], key: usize) -> &[u8] {
    let text = trim_space(text);
    text.get(key + 1..).map_or(text, trim_space)
}

fn compare(a: &[u8], b: &[u8]) -> Ordering {
    rank(a).cmp(&rank(b)).then_with(|| match rank(a) {
        Rank::Number => compare_numbers(float::parse_lossy(a), float::parse_lossy(b)),
        Rank::String => text(a).cmp(&text(b)),
        _ => a.cmp(b),
    })
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Null,
    False,
    Number,
    String,
    True,
    Json,
}

fn rank(value: &[u8]) -> Rank {
    match value.first() {
        None | Some(b'n') => Rank::Null,
        Some(b'f') => Rank::False,
        Some(b't') => Rank::True,
        Some(b'"') => Rank::String,
        Some(b'[' | b'{') => Rank::Json,
        Some(_) => Rank::Number,
    }
}

/// NaN comes last: sorting needs some order.
fn compare_numbers(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// An escaped string that is not legal JSON counts as empty.
fn text(literal: &[u8]) -> Vec<u8> {
    if literal.contains(&b'\\') {
        return match json::decode(literal) {
            Ok(json::Value::String(text)) => text.into_bytes(),
            _ => Vec::new(),
        };
    }
    token::parse(literal)
        .map(|hit| hit.text.into_owned())
        .unwrap_or_default()
}
