//! 64-bit floats as Go's `strconv`, `encoding/json` and `fmt` read and write them.
//!
//! Both languages produce the shortest digits that read back exactly; what differs, and is
//! decided here, is when an exponent is shown and how, and which notations are accepted.

mod hex;
mod shortest;

use shortest::Shortest;

/// Why a text is not a float64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParseError {
    /// Not the notation of a number.
    Syntax,
    /// Too large; holds the infinity Go returns beside its error.
    Range(f64),
}

/// Plain decimal without exponent: `strconv.FormatFloat(x, 'f', -1, 64)`.
pub fn fixed(x: f64) -> String {
    special(x).map_or_else(|| Shortest::of(x).plain(), str::to_owned)
}

/// The notation of `encoding/json`; nothing for NaN and the infinities, which JSON cannot hold.
pub fn json(x: f64) -> Option<String> {
    if !x.is_finite() {
        return None;
    }
    let size = x.abs();
    let shortest = Shortest::of(x);
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return Some(shortest.scientific(1));
    }
    Some(shortest.plain())
}

/// The notation of `fmt`'s `%v`: exponent below 1e-4 and from 1e6 on.
pub fn general(x: f64) -> String {
    if let Some(text) = special(x) {
        return text.to_owned();
    }
    let shortest = Shortest::of(x);
    if (-4..6).contains(&shortest.exponent()) {
        shortest.plain()
    } else {
        shortest.scientific(2)
    }
}

/// A float64 with the digits of the nearest float32: `strconv.FormatFloat(x, 'g', -1, 32)`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "losing precision is the purpose"
)]
pub fn single(x: f64) -> String {
    let x = x as f32;
    if let Some(text) = special(f64::from(x)) {
        return text.to_owned();
    }
    let shortest = Shortest::of_single(x);
    if (-4..6).contains(&shortest.exponent()) {
        shortest.plain()
    } else {
        shortest.scientific(2)
    }
}

fn special(x: f64) -> Option<&'static str> {
    if x.is_nan() {
        Some("NaN")
    } else if x.is_infinite() {
        Some(if x > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// Reads what `strconv.ParseFloat(s, 64)` reads: decimal, hexadecimal, `inf` and `nan`.
pub fn parse(text: &[u8]) -> Result<f64, ParseError> {
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = if let Some(x) = named(digits, digits.len() == text.len()) {
        x
    } else if digits.len() > 1 && digits[0] == b'0' && digits[1] | 0x20 == b'x' {
        hex::parse(&digits[2..])?
    } else {
        decimal(digits)?
    };
    let value = if negative { -magnitude } else { magnitude };
    // Only the names themselves may mean infinity; a number that got there overflowed.
    if value.is_infinite() && digits[0] | 0x20 != b'i' {
        return Err(ParseError::Range(value));
    }
    Ok(value)
}

fn named(text: &[u8], unsigned: bool) -> Option<f64> {
    if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
        return Some(f64::INFINITY);
    }
    (unsigned && text.eq_ignore_ascii_case(b"nan")).then_some(f64::NAN)
}

/// Checks the digits first, because Rust's own parser also takes names and no underscores.
fn decimal(text: &[u8]) -> Result<f64, ParseError> {
    let legal = |b: &u8| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-' | b'_');
    if !text.iter().all(legal) || matches!(text.first(), Some(b'+' | b'-')) {
        return Err(ParseError::Syntax);
    }
    let text = std::str::from_utf8(text).map_err(|_| ParseError::Syntax)?;
    if !text.contains('_') {
        return text.parse().map_err(|_| ParseError::Syntax);
    }
    if !underscores_separate(text.as_bytes(), u8::is_ascii_digit) {
        return Err(ParseError::Syntax);
    }
    text.replace('_', "")
        .parse()
        .map_err(|_| ParseError::Syntax)
}

/// Whether each underscore stands between two digits.
fn underscores_separate(text: &[u8], digit: impl Fn(&u8) -> bool) -> bool {
    text.iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'_')
        .all(|(at, _)| {
            let before = at.checked_sub(1).and_then(|at| text.get(at));
            before.is_some_and(&digit) && text.get(at + 1).is_some_and(&digit)
        })
}

/// The number Go is left with when the caller ignores the error.
pub fn parse_lossy(text: &[u8]) -> f64 {
    match parse(text) {
        Ok(x) | Err(ParseError::Range(x)) => x,
        Err(ParseError::Syntax) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_switch_to_exponents_where_go_does() {
        let cases = [
            (0.0, "0", "0", "0"),
            (-0.0, "-0", "-0", "-0"),
            (1.5, "1.5", "1.5", "1.5"),
            (
                1e20,
                "100000000000000000000",
                "100000000000000000000",
                "1e+20",
            ),
            (999_999.5, "999999.5", "999999.5", "999999.5"),
            (1_234_567.0, "1234567", "1234567", "1.234567e+06"),
            (
                137.663_970_947_265_62,
                "137.66397094726562",
                "137.66397094726562",
                "137.66397094726562",
            ),
            (1e21, "1000000000000000000000", "1e+21", "1e+21"),
            (
                -1.25e22,
                "-12500000000000000000000",
                "-1.25e+22",
                "-1.25e+22",
            ),
            (1e-4, "0.0001", "0.0001", "0.0001"),
            (1e-5, "0.00001", "0.00001", "1e-05"),
            (1e-7, "0.0000001", "1e-7", "1e-07"),
            (1e-10, "0.0000000001", "1e-10", "1e-10"),
        ];

        for (x, plain, in_json, in_fmt) in cases {
            assert_eq!(fixed(x), plain);
            assert_eq!(json(x).as_deref(), Some(in_json));
            assert_eq!(general(x), in_fmt);
        }
        assert_eq!(json(f64::NAN), None);
        assert_eq!(
            (fixed(f64::INFINITY), general(f64::NAN)),
            ("+Inf".into(), "NaN".into())
        );
    }

    #[test]
    fn parsing_accepts_what_go_accepts() {
        let cases: [(&str, f64); 15] = [
            ("1_0", 10.0),
            ("1", 1.0),
            ("+1.5", 1.5),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E+3", 1000.0),
            ("iNf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("0x1p4", 16.0),
            ("-0X1.8p1", -3.0),
            ("0x_1_0p0", 16.0),
            ("0x1p-1074", 5e-324),
            ("1e-400", 0.0),
            ("0x1.fffffffffffff8p0", 2.0),
        ];

        for (text, want) in cases {
            assert_eq!(parse(text.as_bytes()), Ok(want), "{text}");
        }
        assert!(parse(b"NaN").unwrap().is_nan());
        assert_eq!(parse(b"1e400"), Err(ParseError::Range(f64::INFINITY)));
        assert_eq!(
            parse(b"-0x1p1024"),
            Err(ParseError::Range(f64::NEG_INFINITY))
        );
    }

    #[test]
    fn parsing_refuses_what_go_refuses() {
        for text in [
            "", "+", ".", "e1", "1e", "_1", "1_", "1__0", "1_.5", "0x1", "0xp1", "0x1_p0", "-nan",
            "1x", " 1", "--1",
        ] {
            assert_eq!(parse(text.as_bytes()), Err(ParseError::Syntax), "{text}");
            assert_eq!(parse_lossy(text.as_bytes()).to_bits(), 0);
        }
    }
}
