//! Modifiers: `@name` or `@name:argument` in a path transforms the JSON at that point.

use std::borrow::Cow;

use super::budget::Budget;
use super::hit::Hit;
use super::token::{bracketed_length, for_each, parse};
use super::{pretty, search, valid};
use crate::json::{Html, append_string};
use crate::unicode::{decode_last_rune, decode_rune};

mod reshape;

const NAMES: [&[u8]; 13] = [
    b"pretty", b"ugly", b"reverse", b"this", b"flatten", b"join", b"valid", b"keys", b"values",
    b"tostr", b"fromstr", b"group", b"dig",
];

/// Whether a modifier of that name exists.
pub(super) fn exists(name: &[u8]) -> bool {
    NAMES.contains(&name)
}

/// Runs the modifier a path begins with; returns its output and the rest of the path.
pub(super) fn run<'j, 'p>(
    json: &'j [u8],
    path: &'p [u8],
    budget: &Budget,
) -> Option<(Cow<'j, [u8]>, &'p [u8])> {
    let end = path
        .iter()
        .position(|byte| matches!(byte, b':' | b'|' | b'.'));
    let end = end.unwrap_or(path.len());
    let name = &path[1..end];
    if !exists(name) {
        return None;
    }
    let (argument, rest) = match path.get(end) {
        Some(b':') => split_argument(&path[end + 1..]),
        _ => (&path[..0], &path[end..]),
    };
    let out = apply(name, json, argument, budget);
    let affordable = match &out {
        Cow::Borrowed(_) => true,
        Cow::Owned(made) => budget.make(made.len()),
    };
    Some((if affordable { out } else { Cow::Borrowed(b"") }, rest))
}

/// Splits an argument off: JSON, or anything up to the next pipe outside brackets.
fn split_argument(text: &[u8]) -> (&[u8], &[u8]) {
    if matches!(text.first(), Some(b'{' | b'[' | b'"')) {
        return text.split_at(bracketed_length(text));
    }
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'|' => break,
            b'{' | b'[' | b'"' | b'(' => at += bracketed_length(&text[at..]),
            _ => at += 1,
        }
    }
    text.split_at(at.min(text.len()))
}

fn apply<'j>(name: &[u8], json: &'j [u8], argument: &[u8], budget: &Budget) -> Cow<'j, [u8]> {
    let out = match name {
        b"this" => return Cow::Borrowed(json),
        b"valid" if valid(json) => return Cow::Borrowed(json),
        b"pretty" => Some(pretty::pretty(json, argument, budget.room())),
        b"ugly" => Some(pretty::ugly(json)),
        b"tostr" => Some(quote(json)),
        b"fromstr" if valid(json) => parse(json).map(|hit| hit.string().into_owned()),
        b"dig" => Some(dig(json, argument, budget)),
        b"reverse" => reshape::reverse(json, budget),
        b"flatten" => reshape::flatten(json, option(argument, b"deep"), budget),
        b"join" => reshape::join(json, option(argument, b"preserve"), budget),
        b"keys" => Some(reshape::keys(json)),
        b"values" => reshape::values(json),
        b"group" => Some(reshape::group(json, budget)),
        _ => Some(Vec::new()),
    };
    // A modifier that does not apply leaves the JSON as it is.
    out.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// Whether an argument such as `{"deep":true}` sets the option.
fn option(argument: &[u8], name: &[u8]) -> bool {
    let mut set = false;
    if let Some(hit) = parse(argument) {
        for_each(&hit, |key, value| {
            if key.is_some_and(|key| &*key.text == name) {
                set = value.truthy();
            }
        });
    }
    set
}

fn quote(json: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(json.len() + 2);
    append_string(&mut out, json, Html::Escaped);
    out.into_bytes()
}

/// Finds the path given as argument at every level of the JSON.
fn dig(json: &[u8], path: &[u8], budget: &Budget) -> Vec<u8> {
    let mut out = vec![b'['];
    let nothing = Hit::json(&b""[..]);
    dig_into(
        parse(json).as_ref().unwrap_or(&nothing),
        path,
        budget,
        &mut out,
    );
    out.push(b']');
    out
}

fn dig_into(hit: &Hit<'_>, path: &[u8], budget: &Budget, out: &mut Vec<u8>) {
    if let Some(found) = search::get(&hit.raw, path, budget)
        && budget.make(found.raw.len() + 1)
    {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&found.raw);
    }
    if hit.is_array() || hit.is_object() {
        for_each(hit, |_, value| {
            budget.nested(|| dig_into(&value, path, budget, out));
        });
    }
}

/// Go's `strings.TrimSpace`, which knows the white space of Unicode.
pub(super) fn trim_space(mut text: &[u8]) -> &[u8] {
    while let (rune, width @ 1..) = decode_rune(text)
        && rune.is_whitespace()
    {
        text = &text[width..];
    }
    while let (rune, width @ 1..) = decode_last_rune(text)
        && rune.is_whitespace()
    {
        text = &text[..text.len() - width];
    }
    text
}
