//! Sprig's loose conversions to numbers: what `int`, `add`, `float64` and their like accept.
//!
//! Whatever cannot be converted is zero, silently; these are the rules of `spf13/cast` 1.10.

use crate::strconv::{parse_float, parse_int};
use crate::value::{Object, Value};

/// `cast.ToInt64` and, on 64-bit machines, `cast.ToInt`.
pub(crate) fn to_int64(value: &Value) -> i64 {
    match value {
        Value::Bool(b) => i64::from(*b),
        Value::Float(x) => truncate(*x),
        Value::Str(text) => parse_text(text),
        // Go's conversion keeps the bits.
        Value::Uint64(n) => n.cast_signed(),
        _ => match (value.as_signed(), value.as_unsigned()) {
            (Some(n), _) => n,
            (None, Some(n)) => i64::try_from(n).unwrap_or(0),
            (None, None) => 0,
        },
    }
}

/// `cast.ToFloat64`
#[expect(
    clippy::cast_precision_loss,
    reason = "Go rounds large integers likewise"
)]
pub(crate) fn to_float64(value: &Value) -> f64 {
    match value {
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Float(x) => *x,
        Value::Str(text) if text.is_empty() => 0.0,
        Value::Str(text) => parse_float(text).unwrap_or(0.0),
        Value::Uint64(n) => *n as f64,
        _ => match value.as_object() {
            Some(Object::Complex { .. }) => 0.0,
            _ => to_int64(value) as f64,
        },
    }
}

/// Digits in any of Go's notations; a decimal fraction is cut off first.
fn parse_text(text: &[u8]) -> i64 {
    let whole = without_fraction(text);
    parse_int(&whole, 0).unwrap_or_default()
}

/// The part of `-12.5` before the point; other texts are left alone.
fn without_fraction(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let Some(point) = memchr::memchr(b'.', text) else {
        return text.into();
    };
    let (whole, fraction) = (&text[..point], &text[point + 1..]);
    let digits = whole
        .strip_prefix(b"-")
        .or(whole.strip_prefix(b"+"))
        .unwrap_or(whole);
    let all_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    // The pattern ends in `$`, which without multi-line mode is the very end.
    if !all_digits(digits) || !all_digits(fraction) {
        return text.into();
    }
    if digits.is_empty() {
        return [whole, b"0"].concat().into();
    }
    whole.into()
}

/// Go's float to integer conversion on amd64: out of range gives the smallest integer.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(crate) fn truncate(x: f64) -> i64 {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    if (-TWO_63..TWO_63).contains(&x) {
        x as i64
    } else {
        i64::MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_integers_by_the_rules_of_go_literals() {
        let cases = [
            ("010", 8),
            ("0x10", 16),
            ("0b11", 3),
            ("1_000", 1000),
            ("3.7", 3),
            ("-3.7", -3),
            (".5", 0),
            ("-.5", 0),
            ("08", 0),
            (" 3", 0),
            ("12abc", 0),
            ("1e3", 0),
            ("", 0),
            ("9223372036854775808", 0),
        ];

        for (text, want) in cases {
            assert_eq!(to_int64(&Value::from(text)), want, "{text}");
        }
    }

    #[test]
    fn floats_out_of_range_become_the_smallest_integer() {
        assert_eq!(to_int64(&Value::Float(3.99)), 3);
        assert_eq!(to_int64(&Value::Float(1e30)), i64::MIN);
        assert_eq!(to_int64(&Value::Float(f64::NAN)), i64::MIN);
    }

    #[test]
    fn floats_are_read_without_hexadecimal_integers() {
        assert!(to_float64(&Value::from("0x10")).abs() < f64::EPSILON);
        assert!((to_float64(&Value::from("1.5e1")) - 15.0).abs() < f64::EPSILON);
    }
}
