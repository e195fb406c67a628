//! Escapes that stand for one character.

use super::parse::next_char;
use super::{Error, Problem};

/// Parses the escape a text begins with; returns the code point and the length of the escape.
pub(super) fn parse(text: &[u8]) -> Result<(u32, usize), Error> {
    let rest = &text[1..];
    if rest.is_empty() {
        return Err(Error::new(Problem::TrailingBackslash, b""));
    }
    let (c, width) = next_char(rest)?;
    let length = 1 + width;
    let code = match c {
        '0'..='7' => return octal(text),
        'x' => return hexadecimal(text),
        'a' => 7,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() => u32::from(c),
        _ => return refuse(text, length),
    };
    Ok((code, length))
}

fn refuse<T>(text: &[u8], length: usize) -> Result<T, Error> {
    Err(Error::new(Problem::Escape, &text[..length]))
}

/// Up to three digits; a single one other than zero would be a back reference.
fn octal(text: &[u8]) -> Result<(u32, usize), Error> {
    let digits = text[1..]
        .iter()
        .take(3)
        .take_while(|byte| (b'0'..=b'7').contains(byte));
    let (code, count) = digits.fold((0, 0), |(code, count), byte| {
        (code * 8 + u32::from(byte - b'0'), count + 1)
    });
    if count == 1 && text[1] != b'0' {
        return refuse(text, 2);
    }
    Ok((code, 1 + count))
}

/// `\x41` or `\x{10ffff}`.
fn hexadecimal(text: &[u8]) -> Result<(u32, usize), Error> {
    if text.len() == 2 {
        return refuse(text, 2);
    }
    let (first, width) = next_char(&text[2..])?;
    let mut at = 2 + width;
    if first != '{' {
        let (second, width) = match text.get(at..) {
            Some(rest) if !rest.is_empty() => next_char(rest)?,
            _ => ('\u{fffd}', 0),
        };
        at += width;
        return match (first.to_digit(16), second.to_digit(16)) {
            (Some(high), Some(low)) => Ok((high * 16 + low, at)),
            _ => refuse(text, at),
        };
    }
    let (mut code, mut digits) = (0u32, 0);
    while at < text.len() {
        let (c, width) = next_char(&text[at..])?;
        at += width;
        match c.to_digit(16) {
            Some(digit) => {
                code = code * 16 + digit;
                digits += 1;
                if code > 0x10_ffff {
                    break;
                }
            }
            None if c == '}' && digits > 0 => return Ok((code, at)),
            None => break,
        }
    }
    refuse(text, at)
}
