//! Hexadecimal floats such as `1.8p1`, the prefix `0x` already taken off.
//!
//! Rounds once, to nearest even, also where the result is subnormal.

use super::{ParseError, underscores_separate};

/// Reads mantissa and mandatory binary exponent; returns infinity when out of range.
pub(super) fn parse(text: &[u8]) -> Result<f64, ParseError> {
    // The prefix counts as a digit, so an underscore may follow it.
    let unprefixed = text.strip_prefix(b"_").unwrap_or(text);
    if !underscores_separate(unprefixed, u8::is_ascii_hexdigit) {
        return Err(ParseError::Syntax);
    }
    let at = text
        .iter()
        .position(|b| b | 0x20 == b'p')
        .ok_or(ParseError::Syntax)?;
    let mantissa = Mantissa::parse(&text[..at])?;
    let exponent = parse_exponent(&text[at + 1..])?;
    Ok(mantissa.scale(exponent))
}

/// Leading bits of the digits; `value * 2^exponent`, with bits lost beyond it marked as sticky.
#[derive(Default)]
struct Mantissa {
    value: u64,
    exponent: i64,
    sticky: bool,
}

impl Mantissa {
    fn parse(text: &[u8]) -> Result<Self, ParseError> {
        let mut mantissa = Self::default();
        let (mut digits, mut fraction) = (false, false);
        for &byte in text {
            match (char::from(byte).to_digit(16), byte) {
                (Some(digit), _) => {
                    digits = true;
                    mantissa.push(u64::from(digit), fraction);
                }
                (None, b'_') => {}
                (None, b'.') if !fraction => fraction = true,
                _ => return Err(ParseError::Syntax),
            }
        }
        if digits {
            Ok(mantissa)
        } else {
            Err(ParseError::Syntax)
        }
    }

    fn push(&mut self, digit: u64, fraction: bool) {
        if self.value >> 60 == 0 {
            self.value = self.value << 4 | digit;
            self.exponent -= if fraction { 4 } else { 0 };
        } else {
            self.sticky |= digit != 0;
            self.exponent += if fraction { 0 } else { 4 };
        }
    }

    fn scale(&self, exponent: i64) -> f64 {
        if self.value == 0 {
            return 0.0;
        }
        let bits = i64::from(u64::BITS - self.value.leading_zeros());
        let exponent = self.exponent.saturating_add(exponent);
        // The weight of the last bit a float64 keeps for this number.
        let unit = exponent.saturating_add(bits - 53).max(-1074);
        if unit > 1023 {
            return f64::INFINITY;
        }
        let shift = unit - exponent;
        let kept = match u32::try_from(shift) {
            Ok(shift) => round(self.value, shift, self.sticky),
            Err(_) => self.value << shift.unsigned_abs().min(63),
        };
        assemble(kept, unit)
    }
}

/// Drops the low bits, rounding to nearest, ties to even.
fn round(value: u64, shift: u32, sticky: bool) -> u64 {
    if shift == 0 {
        return value;
    }
    if shift > 64 {
        return 0;
    }
    let wide = u128::from(value);
    let kept = wide >> shift;
    let rest = wide & ((1 << shift) - 1);
    let half = 1u128 << (shift - 1);
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    u64::try_from(kept).unwrap_or(u64::MAX) + u64::from(up)
}

/// `kept * 2^unit` with `kept` of at most 53 bits, or 2^53 after rounding up.
fn assemble(kept: u64, unit: i64) -> f64 {
    if kept == 0 {
        return 0.0;
    }
    let (kept, unit) = if kept >> 53 == 1 {
        (kept >> 1, unit + 1)
    } else {
        (kept, unit)
    };
    if kept >> 52 == 0 {
        return f64::from_bits(kept);
    }
    match u64::try_from(unit + 1075) {
        Ok(biased) if biased < 2047 => f64::from_bits(biased << 52 | kept & ((1 << 52) - 1)),
        _ => f64::INFINITY,
    }
}

fn parse_exponent(text: &[u8]) -> Result<i64, ParseError> {
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if !digits.first().is_some_and(u8::is_ascii_digit) {
        return Err(ParseError::Syntax);
    }
    let mut exponent = 0i64;
    for &byte in digits.iter().filter(|b| **b != b'_') {
        if !byte.is_ascii_digit() {
            return Err(ParseError::Syntax);
        }
        exponent = (exponent * 10 + i64::from(byte - b'0')).min(100_000);
    }
    Ok(if negative { -exponent } else { exponent })
}
