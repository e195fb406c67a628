//! Writes JSON as `encoding/json` does: compact, keys sorted, Go's number notation.
//!
//! The template engine, whose strings are bytes, uses [`append_string`] directly.

use super::{Number, Value};
use crate::float;
use crate::unicode::decode_rune;

/// Whether `<`, `>` and `&` are written as escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Html {
    /// Escaped, as `json.Marshal` does.
    Escaped,
    /// Left alone, as an encoder with `SetEscapeHTML(false)` does.
    Plain,
}

/// Encodes without HTML escaping and without a trailing newline.
pub fn marshal(value: &Value) -> String {
    let mut out = String::new();
    append(&mut out, value, Html::Plain);
    out
}

/// Encodes like `json.Marshal`.
pub fn marshal_escaped(value: &Value) -> String {
    let mut out = String::new();
    append(&mut out, value, Html::Escaped);
    out
}

/// The secret data a decoded value stands for.
///
/// Strings are themselves, `null` is empty, numbers are plain decimals, arrays and objects are
/// JSON with HTML escaping.
pub fn to_bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(flag) => flag.to_string().into_bytes(),
        Value::Number(Number::Int(number)) => number.to_string().into_bytes(),
        Value::Number(Number::Float(number)) => float::fixed(*number).into_bytes(),
        Value::Number(Number::Text(text)) | Value::String(text) => text.clone().into_bytes(),
        Value::Array(_) | Value::Object(_) => marshal_escaped(value).into_bytes(),
    }
}

fn append(out: &mut String, value: &Value, html: Html) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => append_number(out, number),
        Value::String(text) => append_string(out, text.as_bytes(), html),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                append(out, element, html);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                append_string(out, key.as_bytes(), html);
                out.push(':');
                append(out, member, html);
            }
            out.push('}');
        }
    }
}

fn append_number(out: &mut String, number: &Number) {
    match number {
        Number::Int(number) => out.push_str(&number.to_string()),
        // No decoder makes NaN or an infinity; one made by hand has no JSON form.
        Number::Float(number) => out.push_str(float::json(*number).as_deref().unwrap_or("null")),
        Number::Text(text) => out.push_str(if text.is_empty() { "0" } else { text }),
    }
}

/// Appends a string literal; each byte that is not UTF-8 becomes `\ufffd`.
pub fn append_string(out: &mut String, text: &[u8], html: Html) {
    literal(text, html, |part| out.push_str(part));
}

/// As [`append_string`], behind bytes.
pub fn append_string_bytes(out: &mut Vec<u8>, text: &[u8], html: Html) {
    out.reserve(text.len() + 2);
    literal(text, html, |part| out.extend_from_slice(part.as_bytes()));
}

/// Hands over the literal for `text`, part by part.
fn literal(text: &[u8], html: Html, mut write: impl FnMut(&str)) {
    write("\"");
    let mut rest = text;
    while !rest.is_empty() {
        // Most text is a run that needs no escape.
        let run = plain_run(rest, html);
        if run > 0 {
            let (head, tail) = rest.split_at(run);
            write(std::str::from_utf8(head).unwrap_or_default());
            rest = tail;
            continue;
        }
        let (rune, width) = decode_rune(rest);
        match rune {
            '"' => write("\\\""),
            '\\' => write("\\\\"),
            '\u{8}' => write("\\b"),
            '\u{c}' => write("\\f"),
            '\n' => write("\\n"),
            '\r' => write("\\r"),
            '\t' => write("\\t"),
            '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write(&format!("\\u{:04x}", u32::from(rune)));
            }
            char::REPLACEMENT_CHARACTER if width == 1 => write("\\ufffd"),
            _ => write(rune.encode_utf8(&mut [0; 4])),
        }
        rest = &rest[width..];
    }
    write("\"");
}

/// How many bytes at the start stand for themselves.
fn plain_run(text: &[u8], html: Html) -> usize {
    let mut run = 0;
    for block in text.chunks(16) {
        // Without a branch for each byte, a block is looked at as a whole.
        let whole = block.len() == 16;
        if whole
            && block
                .iter()
                .fold(true, |plain, byte| plain & is_plain(*byte))
        {
            run += 16;
            continue;
        }
        let itself = |byte: &u8| {
            is_plain(*byte) || html == Html::Plain && matches!(byte, b'<' | b'>' | b'&')
        };
        match block.iter().position(|byte| !itself(byte)) {
            Some(at) => return run + at,
            None => run += block.len(),
        }
    }
    run
}

/// Whether a byte stands for itself when HTML is escaped; without that, three more do.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches a whole block is compared at once"
)]
fn is_plain(byte: u8) -> bool {
    (b' '..0x80).contains(&byte)
        & (byte != b'"')
        & (byte != b'\\')
        & (byte != b'<')
        & (byte != b'>')
        & (byte != b'&')
}
