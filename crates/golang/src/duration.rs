//! Go's `time.Duration`: the notation `1h2m3.5s` in, the canonical one out.
//!
//! Nanoseconds in 64 bits with Go's overflow rules and error texts. No clock is read here.

use std::fmt::{self, Write as _};

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
const LIMIT: u64 = 1 << 63;

/// A signed span of time in nanoseconds; prints as Go's `Duration.String` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration {
    nanos: i64,
}

/// The text is not a duration; prints Go's sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("time: {problem} {}", quote(.value))]
pub struct ParseError {
    problem: String,
    value: String,
}

impl Duration {
    /// The span of that many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self { nanos }
    }

    /// The span of that many seconds, saturating at the largest one Go can hold.
    pub const fn from_secs(seconds: i64) -> Self {
        Self {
            nanos: seconds.saturating_mul(1_000_000_000),
        }
    }

    /// The length in nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.nanos
    }

    /// The same span for `std`, unless it is negative.
    pub fn to_std(self) -> Option<std::time::Duration> {
        u64::try_from(self.nanos)
            .ok()
            .map(std::time::Duration::from_nanos)
    }

    /// Reads a duration as `time.ParseDuration` does.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let fail = |problem: String| ParseError {
            problem,
            value: text.to_owned(),
        };
        let invalid = || fail("invalid duration".to_owned());
        let (negative, mut rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        if rest == "0" {
            return Ok(Self::default());
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let mut total = 0u64;
        while !rest.is_empty() {
            let (term, tail) = Term::take(rest).ok_or_else(invalid)?;
            if term.unit.is_empty() {
                return Err(fail("missing unit in duration".to_owned()));
            }
            let unit = UNITS
                .iter()
                .find(|(name, _)| *name == term.unit)
                .ok_or_else(|| fail(format!("unknown unit {} in duration", quote(term.unit))))?;
            total = term
                .nanos(unit.1)
                .and_then(|nanos| total.checked_add(nanos))
                .filter(|sum| *sum <= LIMIT)
                .ok_or_else(invalid)?;
            rest = tail;
        }
        if negative {
            return Ok(Self {
                nanos: 0i64.wrapping_sub_unsigned(total),
            });
        }
        i64::try_from(total)
            .map(|nanos| Self { nanos })
            .map_err(|_| invalid())
    }
}

/// One number with its unit, such as `1.5h`.
struct Term<'a> {
    whole: u64,
    fraction: u64,
    scale: f64,
    unit: &'a str,
}

impl<'a> Term<'a> {
    /// Splits the first term off `text`; nothing if no number stands there or it overflows.
    fn take(text: &'a str) -> Option<(Self, &'a str)> {
        let (digits, mut rest) = split_digits(text);
        let whole = leading_int(digits)?;
        let mut any = !digits.is_empty();
        let (mut fraction, mut scale) = (0, 1.0);
        if let Some(after) = rest.strip_prefix('.') {
            let (digits, tail) = split_digits(after);
            any |= !digits.is_empty();
            (fraction, scale) = leading_fraction(digits);
            rest = tail;
        }
        if !any {
            return None;
        }
        let end = rest
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(end);
        Some((
            Self {
                whole,
                fraction,
                scale,
                unit,
            },
            rest,
        ))
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "Go computes the fraction in float64 and truncates it"
    )]
    fn nanos(&self, unit: u64) -> Option<u64> {
        if self.whole > LIMIT / unit {
            return None;
        }
        let fraction = (self.fraction as f64 * (unit as f64 / self.scale)) as u64;
        Some(self.whole * unit + fraction).filter(|nanos| *nanos <= LIMIT)
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    )
}

fn leading_int(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0u64, |value, digit| {
        let next = value
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
        (next <= LIMIT).then_some(next)
    })
}

/// Digits beyond what 63 bits hold are ignored, as in Go.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0u64, 1.0);
    for digit in digits.bytes() {
        if value > (LIMIT - 1) / 10 {
            break;
        }
        let next = value * 10 + u64::from(digit - b'0');
        if next > LIMIT {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value, scale)
}

/// The quoting of Go's time package: everything outside printable ASCII as `\x` bytes.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=0x7f => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

impl fmt::Display for Duration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.nanos.unsigned_abs();
        if self.nanos < 0 {
            out.write_str("-")?;
        }
        match magnitude {
            0 => return out.write_str("0s"),
            1..1_000 => return write!(out, "{magnitude}ns"),
            1_000..1_000_000 => return write_decimal(out, magnitude, 1_000, "\u{b5}s"),
            1_000_000..1_000_000_000 => return write_decimal(out, magnitude, 1_000_000, "ms"),
            _ => {}
        }
        let minutes = magnitude / 60_000_000_000;
        if minutes >= 60 {
            write!(out, "{}h", minutes / 60)?;
        }
        if minutes > 0 {
            write!(out, "{}m", minutes % 60)?;
        }
        write_decimal(out, magnitude % 60_000_000_000, 1_000_000_000, "s")
    }
}

/// Writes `value / scale` exactly, without trailing zeros, and the unit.
fn write_decimal(out: &mut fmt::Formatter<'_>, value: u64, scale: u64, unit: &str) -> fmt::Result {
    write!(out, "{}", value / scale)?;
    let fraction = value % scale;
    if fraction > 0 {
        let width = scale.ilog10() as usize;
        let digits = format!("{fraction:0width$}");
        write!(out, ".{}", digits.trim_end_matches('0'))?;
    }
    out.write_str(unit)
}

#[cfg(test)]
mod tests;
