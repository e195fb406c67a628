//! Integers as Go's `strconv` reads them with base 0, and plain ones of a given base.

/// An integer that fits 64 bits, signed if possible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Integer {
    Signed(i64),
    Unsigned(u64),
}

/// Reads an integer with the prefixes `0x`, `0o`, `0b` and `0`.
pub(super) fn parse(text: &str) -> Option<Integer> {
    let (negative, digits) = split_sign(text);
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    build(
        negative,
        text.len() > digits.len() && text.starts_with(['+', '-']),
        digits,
        base,
    )
}

/// Reads digits of a base with an optional sign.
pub(super) fn parse_base(text: &str, base: u32) -> Option<Integer> {
    let (negative, digits) = split_sign(text);
    build(negative, digits.len() < text.len(), digits, base)
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Only numbers without a sign may use the full unsigned range.
fn build(negative: bool, signed: bool, digits: &str, base: u32) -> Option<Integer> {
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let size = u64::from_str_radix(digits, base).ok()?;
    match (negative, i64::try_from(size)) {
        (false, Ok(value)) => Some(Integer::Signed(value)),
        (false, Err(_)) => (!signed).then_some(Integer::Unsigned(size)),
        (true, _) => 0i64.checked_sub_unsigned(size).map(Integer::Signed),
    }
}
