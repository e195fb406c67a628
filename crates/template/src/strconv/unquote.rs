//! `strconv.Unquote` and `strconv.UnquoteChar`; every failure is Go's one "invalid syntax".

use lockstep_golang::unicode::decode_rune;

/// The bytes that a quoted or backquoted literal stands for.
pub(crate) fn unquote(literal: &[u8]) -> Option<Vec<u8>> {
    let (&quote, rest) = literal.split_first()?;
    let (&last, body) = rest.split_last()?;
    if last != quote {
        return None;
    }
    match quote {
        b'`' if body.contains(&b'`') => None,
        b'`' => Some(body.iter().copied().filter(|b| *b != b'\r').collect()),
        b'"' => unquote_body(body, quote),
        _ => None,
    }
}

fn unquote_body(body: &[u8], quote: u8) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(&first) = rest.first() {
        // The common case: a run without escapes. Bytes that are no UTF-8 pass unchanged.
        let run = rest
            .iter()
            .take_while(|b| !matches!(**b, b'\\' | b'"' | b'\n'))
            .count();
        if run > 0 {
            copy_run(&mut out, &rest[..run]);
            rest = &rest[run..];
            continue;
        }
        if first != b'\\' {
            return None;
        }
        let (unit, tail) = unquote_char(rest, quote)?;
        unit.append_to(&mut out);
        rest = tail;
    }
    Some(out)
}

/// Go re-encodes each character, so illegal bytes become U+FFFD once any escape is present; a
/// literal without escapes is copied verbatim only if it is valid UTF-8.
fn copy_run(out: &mut Vec<u8>, run: &[u8]) {
    if std::str::from_utf8(run).is_ok() {
        out.extend_from_slice(run);
    } else {
        out.extend_from_slice(lockstep_golang::unicode::to_valid_utf8(run).as_bytes());
    }
}

/// One unquoted unit: a character, or a single byte written as `\x` or octal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Rune(char),
    Byte(u8),
}

impl Unit {
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::Rune(rune) => u32::from(rune),
            Self::Byte(byte) => u32::from(byte),
        }
    }

    fn append_to(self, out: &mut Vec<u8>) {
        match self {
            Self::Rune(rune) => {
                out.extend_from_slice(rune.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Self::Byte(byte) => out.push(byte),
        }
    }
}

/// Decodes the first character or escape of `text`; returns it and what follows.
pub(crate) fn unquote_char(text: &[u8], quote: u8) -> Option<(Unit, &[u8])> {
    let &first = text.first()?;
    if first == quote && matches!(quote, b'\'' | b'"') {
        return None;
    }
    if first != b'\\' {
        let (rune, width) = decode_rune(text);
        return Some((Unit::Rune(rune), &text[width..]));
    }
    let &escape = text.get(1)?;
    let tail = &text[2..];
    let rune = match escape {
        b'a' => '\x07',
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'v' => '\x0b',
        b'x' => return hex_escape(tail, 2),
        b'u' => return hex_escape(tail, 4),
        b'U' => return hex_escape(tail, 8),
        b'0'..=b'7' => return octal_escape(&text[1..]),
        b'\\' => '\\',
        b'\'' | b'"' if escape == quote => char::from(escape),
        _ => return None,
    };
    Some((Unit::Rune(rune), tail))
}

fn hex_escape(text: &[u8], digits: usize) -> Option<(Unit, &[u8])> {
    let (head, tail) = text.split_at_checked(digits)?;
    let mut code = 0u32;
    for byte in head {
        code = code << 4 | char::from(*byte).to_digit(16)?;
    }
    if digits == 2 {
        return Some((Unit::Byte(u8::try_from(code).ok()?), tail));
    }
    Some((Unit::Rune(char::from_u32(code)?), tail))
}

fn octal_escape(text: &[u8]) -> Option<(Unit, &[u8])> {
    let (head, tail) = text.split_at_checked(3)?;
    let mut code = 0u32;
    for byte in head {
        code = code << 3 | char::from(*byte).to_digit(8)?;
    }
    Some((Unit::Byte(u8::try_from(code).ok()?), tail))
}
