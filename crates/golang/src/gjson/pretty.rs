//! `@pretty` and `@ugly`: JSON laid out over lines, or without any white space.
//!
//! Short arrays stay on one line. Malformed JSON comes out malformed, as gjson does it.

use super::hit::{Hit, Kind};
use super::token::{close_quote, for_each, parse};

mod print;
mod sort;

use print::Printer;

/// Widest line. An array is tried on one line first, which costs as much as the line is long.
const MAX_WIDTH: i64 = 10_000;

/// Removes the white space between tokens.
pub(super) fn ugly(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        let end = if byte == b'"' {
            end_of_string(json, at)
        } else {
            at + 1
        };
        if byte > b' ' {
            out.extend_from_slice(&json[at..end]);
        }
        at = end;
    }
    out
}

fn end_of_string(json: &[u8], at: usize) -> usize {
    close_quote(json, at + 1).map_or(json.len(), |quote| quote + 1)
}

/// Lays JSON out over lines, with the options `sortKeys`, `indent`, `prefix` and `width`.
/// More than `room` bytes are not laid out well; the caller refuses them.
pub(super) fn pretty(json: &[u8], argument: &[u8], room: usize) -> Vec<u8> {
    let mut printer = Printer::new(json, room);
    if let Some(options) = parse(argument) {
        for_each(&options, |key, value| {
            let name = key.map(|key| key.text.into_owned()).unwrap_or_default();
            set(&mut printer, &name, &value);
        });
    }
    printer.print()
}

fn set(printer: &mut Printer<'_>, name: &[u8], value: &Hit<'_>) {
    let blanks = || {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        value.string().iter().copied().filter(blank).collect()
    };
    match name {
        b"sortKeys" => printer.sort = value.truthy(),
        b"indent" => printer.indent = blanks(),
        b"prefix" => printer.prefix = blanks(),
        b"width" => printer.width = integer(value).min(MAX_WIDTH),
        _ => {}
    }
}

/// gjson's `Int`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "Go converts float64 to int64 the same way"
)]
fn integer(value: &Hit<'_>) -> i64 {
    let parse = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok();
    match value.kind {
        Kind::True => 1,
        Kind::String => parse(&value.text).unwrap_or_default(),
        Kind::Number => value.number as i64,
        _ => 0,
    }
}
