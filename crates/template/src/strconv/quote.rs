//! `strconv.Quote` and its relatives.

use std::fmt::Write as _;

use lockstep_golang::unicode::decode_rune;

use crate::unicode::is_print;

/// Go's double-quoted form of `text`.
pub(crate) fn quote(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text, '"', false);
    out
}

/// As [`quote`], with everything beyond ASCII escaped.
pub(crate) fn quote_ascii(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text, '"', true);
    out
}

/// The single-quoted form of a character.
pub(crate) fn quote_rune(rune: char, ascii: bool) -> String {
    let mut out = String::from('\'');
    escape(&mut out, rune, '\'', ascii);
    out.push('\'');
    out
}

/// What `%#U` prints: `U+0041 'A'`.
pub(crate) fn quote_rune_point(rune: char) -> String {
    let mut out = format!("U+{:04X}", u32::from(rune));
    if is_print(rune) {
        out.push_str(" '");
        out.push(rune);
        out.push('\'');
    }
    out
}

/// Whether a byte stands for itself between quotes of either kind.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches a whole block is compared at once"
)]
fn is_plain(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte) & (byte != b'\\') & (byte != b'"') & (byte != b'\'')
}

/// How many bytes at the start stand for themselves.
fn plain_run(text: &[u8]) -> usize {
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
        match block.iter().position(|byte| !is_plain(*byte)) {
            Some(at) => return run + at,
            None => run += block.len(),
        }
    }
    run
}

fn quote_into(out: &mut String, mut text: &[u8], quote: char, ascii: bool) {
    out.push(quote);
    while let Some(&first) = text.first() {
        // Most text is a run that needs no escape.
        let run = plain_run(text);
        if run > 0 {
            let (head, tail) = text.split_at(run);
            out.push_str(std::str::from_utf8(head).unwrap_or_default());
            text = tail;
            continue;
        }
        let (rune, width) = decode_rune(text);
        if width == 1 && !first.is_ascii() {
            let _ = write!(out, "\\x{first:02x}");
        } else {
            escape(out, rune, quote, ascii);
        }
        text = &text[width..];
    }
    out.push(quote);
}

fn escape(out: &mut String, rune: char, quote: char, ascii: bool) {
    if rune == quote || rune == '\\' {
        out.push('\\');
        out.push(rune);
        return;
    }
    let printed = match rune {
        ' '..='~' => true,
        _ if rune.is_ascii() || ascii => false,
        _ => is_print(rune),
    };
    if printed {
        out.push(rune);
        return;
    }
    let short = match rune {
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\x0c' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\x0b' => "\\v",
        _ => "",
    };
    if !short.is_empty() {
        out.push_str(short);
        return;
    }
    let code = u32::from(rune);
    let _ = match code {
        0..0x20 | 0x7f => write!(out, "\\x{code:02x}"),
        0..0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Whether `text` could stand between backquotes unchanged.
pub(crate) fn can_backquote(mut text: &[u8]) -> bool {
    while !text.is_empty() {
        let (rune, width) = decode_rune(text);
        text = &text[width..];
        let fine = match rune {
            _ if width > 1 => rune != '\u{feff}',
            char::REPLACEMENT_CHARACTER => false,
            _ => (rune >= ' ' || rune == '\t') && rune != '`' && rune != '\x7f',
        };
        if !fine {
            return false;
        }
    }
    true
}
