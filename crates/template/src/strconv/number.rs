//! `strconv.ParseInt`, `ParseUint` and `ParseFloat` with Go's prefixes and underscores.

use lockstep_golang::float;

/// Why a text is no number of the wanted kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumError {
    Syntax,
    Range,
}

/// Reads an unsigned integer; base 0 means prefix and underscores decide as in Go source.
pub(crate) fn parse_uint(text: &[u8], base: u32) -> Result<u64, NumError> {
    let (digits, radix) = match (base, text) {
        (0, [b'0', b'x' | b'X', rest @ ..]) if !rest.is_empty() => (rest, 16),
        (0, [b'0', b'b' | b'B', rest @ ..]) if !rest.is_empty() => (rest, 2),
        (0, [b'0', b'o' | b'O', rest @ ..] | [b'0', rest @ ..]) if !rest.is_empty() => (rest, 8),
        (0, _) => (text, 10),
        _ => (text, base),
    };
    if digits.is_empty() {
        return Err(NumError::Syntax);
    }
    let mut value = 0u64;
    let mut overflow = false;
    let mut underscores = false;
    for byte in digits {
        if *byte == b'_' && base == 0 {
            underscores = true;
            continue;
        }
        let digit = char::from(*byte).to_digit(radix).ok_or(NumError::Syntax)?;
        match value
            .checked_mul(u64::from(radix))
            .and_then(|v| v.checked_add(u64::from(digit)))
        {
            Some(next) => value = next,
            // Go reports the range before it looks at the rest.
            None => overflow = true,
        }
        if overflow {
            return Err(NumError::Range);
        }
    }
    if underscores && !underscores_fit(text) {
        return Err(NumError::Syntax);
    }
    Ok(value)
}

/// Reads a signed integer; see [`parse_uint`].
pub(crate) fn parse_int(text: &[u8], base: u32) -> Result<i64, NumError> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let magnitude = parse_uint(digits, base)?;
    if negative {
        return 0i64.checked_sub_unsigned(magnitude).ok_or(NumError::Range);
    }
    i64::try_from(magnitude).map_err(|_| NumError::Range)
}

/// Reads a float64; underscores may separate digits as in Go source.
pub(crate) fn parse_float(text: &[u8]) -> Result<f64, NumError> {
    let parsed = if text.contains(&b'_') {
        if !underscores_fit(text) {
            return Err(NumError::Syntax);
        }
        let plain: Vec<u8> = text.iter().copied().filter(|b| *b != b'_').collect();
        float::parse(&plain)
    } else {
        float::parse(text)
    };
    parsed.map_err(|error| match error {
        float::ParseError::Syntax => NumError::Syntax,
        float::ParseError::Range(_) => NumError::Range,
    })
}

/// Whether each underscore stands between digits, the base prefix counting as one.
fn underscores_fit(text: &[u8]) -> bool {
    let mut text = text;
    if let [b'-' | b'+', rest @ ..] = text {
        text = rest;
    }
    let mut digit_before = false;
    let mut open = false;
    let mut hex = false;
    if let [
        b'0',
        prefix @ (b'b' | b'B' | b'o' | b'O' | b'x' | b'X'),
        rest @ ..,
    ] = text
    {
        hex = matches!(prefix, b'x' | b'X');
        digit_before = true;
        text = rest;
    }
    for byte in text {
        if byte.is_ascii_digit() || hex && byte.is_ascii_hexdigit() {
            digit_before = true;
            open = false;
        } else if *byte == b'_' {
            if !digit_before || open {
                return false;
            }
            open = true;
        } else if open {
            return false;
        } else {
            digit_before = false;
        }
    }
    !open
}
