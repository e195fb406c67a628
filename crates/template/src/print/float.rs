//! `strconv.FormatFloat` and the float verbs.

use lockstep_golang::float;

use super::{Printed, Printer};

impl Printer {
    pub(super) fn float(&mut self, x: f64, verb: char) -> Option<Printed> {
        let (format, default) = match verb {
            'v' => (b'g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => (verb as u8, None),
            'e' | 'E' | 'f' => (verb as u8, Some(6)),
            'F' => (b'f', Some(6)),
            _ => return None,
        };
        Some(self.float_as(x, format, self.flags.precision.or(default)))
    }

    fn float_as(&mut self, x: f64, format: u8, precision: Option<usize>) -> Printed {
        self.room(precision.unwrap_or(0))?;
        let text = format_float(x, format, precision);
        let mut number = Vec::with_capacity(text.len() + 1);
        if !text.starts_with(['-', '+']) {
            number.push(b'+');
        }
        number.extend_from_slice(text.as_bytes());
        if self.flags.space && number[0] == b'+' && !self.flags.plus {
            number[0] = b' ';
        }
        if matches!(number[1], b'I' | b'N') {
            let bare = number[1] == b'N' && !self.flags.space && !self.flags.plus;
            return self.pad_with_spaces(&number[usize::from(bare)..]);
        }
        if self.flags.sharp && format != b'b' {
            keep_point(&mut number, format, precision);
        }
        if self.flags.plus || number[0] != b'+' {
            return self.pad_signed(&number);
        }
        self.pad(&number[1..])
    }

    pub(super) fn complex(&mut self, re: f64, im: f64, verb: char) -> Option<Printed> {
        if !"vbgGxXfFeE".contains(verb) {
            return None;
        }
        Some(self.complex_parts(re, im, verb))
    }

    fn complex_parts(&mut self, re: f64, im: f64, verb: char) -> Printed {
        self.write(b"(")?;
        self.float(re, verb).unwrap_or(Ok(()))?;
        let plus = std::mem::replace(&mut self.flags.plus, true);
        let printed = self.float(im, verb).unwrap_or(Ok(()));
        self.flags.plus = plus;
        printed?;
        self.write(b"i)")
    }
}

/// The sharp flag: always a decimal point, and trailing zeros stay.
fn keep_point(number: &mut Vec<u8>, format: u8, precision: Option<usize>) {
    let mut missing = match format {
        b'g' | b'G' | b'x' => precision.unwrap_or(6),
        _ => 0,
    };
    let hex = matches!(format, b'x' | b'X');
    let tail_at = number
        .iter()
        .position(|b| matches!(b, b'p' | b'P') || !hex && matches!(b, b'e' | b'E'))
        .unwrap_or(number.len());
    let tail = number.split_off(tail_at);
    let digits = number[1..]
        .iter()
        .filter(|b| **b != b'.')
        .skip_while(|b| **b == b'0')
        .count();
    missing = missing.saturating_sub(digits);
    if !number.contains(&b'.') {
        if number.len() == 2 && number[1] == b'0' {
            missing = missing.saturating_sub(1);
        }
        number.push(b'.');
    }
    number.resize(number.len() + missing, b'0');
    number.extend_from_slice(&tail);
}

/// The digits after which a float64 has nothing but zeros.
const ALL_DIGITS: usize = 1100;

/// `strconv.FormatFloat(x, format, precision, 64)`; no precision means the shortest exact text.
pub(crate) fn format_float(x: f64, format: u8, precision: Option<usize>) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    match format {
        b'e' | b'E' => exponential(x, format, precision),
        b'f' => match precision {
            None => float::fixed(x),
            Some(precision) => {
                let exact = format!("{x:.*}", precision.min(ALL_DIGITS));
                extend(exact, precision.saturating_sub(ALL_DIGITS))
            }
        },
        b'b' => binary(x),
        b'x' | b'X' => hexadecimal(x, format, precision),
        b'g' if precision.is_none() => float::general(x),
        _ => general(x, format, precision),
    }
}

fn extend(mut text: String, zeros: usize) -> String {
    text.extend(std::iter::repeat_n('0', zeros));
    text
}

/// Mantissa and exponent in scientific notation.
fn scientific(x: f64, precision: Option<usize>) -> (String, i32) {
    let Some(precision) = precision else {
        return shortest(x);
    };
    let text = format!("{x:.*e}", precision.min(ALL_DIGITS));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// As [`scientific`], with the digits Go takes for the shortest.
fn shortest(x: f64) -> (String, i32) {
    let text = float::fixed(x.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0');
    let zeros = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let Some((first, rest)) = digits.split_at_checked(1) else {
        return (format!("{sign}0"), 0);
    };
    let point = if rest.is_empty() { "" } else { "." };
    let size = |n| i32::try_from(n).unwrap_or(0);
    (
        format!("{sign}{first}{point}{rest}"),
        size(whole.len()) - size(zeros) - 1,
    )
}

fn exponential(x: f64, format: u8, precision: Option<usize>) -> String {
    let (mantissa, exponent) = scientific(x, precision);
    let mantissa = extend(mantissa, precision.unwrap_or(0).saturating_sub(ALL_DIGITS));
    with_exponent(&mantissa, char::from(format), exponent)
}

fn with_exponent(mantissa: &str, letter: char, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{letter}{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: scientific for large and small exponents, plain otherwise, without trailing zeros.
fn general(x: f64, format: u8, precision: Option<usize>) -> String {
    let digits_wanted = precision.map(|precision| precision.max(1));
    let (mantissa, exponent) = scientific(x, digits_wanted.map(|digits| digits - 1));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        &mantissa
    };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let threshold = match digits_wanted {
        None => 6,
        Some(wanted) => {
            let point = usize::try_from(exponent.saturating_add(1)).unwrap_or(0);
            if wanted > digits && digits >= point {
                digits
            } else {
                wanted
            }
        }
    };
    let threshold = i32::try_from(threshold).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= threshold {
        let letter = if format == b'G' { 'E' } else { 'e' };
        return with_exponent(mantissa, letter, exponent);
    }
    plain(mantissa, exponent)
}

/// Moves the point of `d.ddd` by `exponent` places.
fn plain(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    match usize::try_from(exponent) {
        Err(_) => {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            format!("{sign}0.{zeros}{digits}")
        }
        Ok(exponent) if digits.len() <= exponent + 1 => {
            let zeros = "0".repeat(exponent + 1 - digits.len());
            format!("{sign}{digits}{zeros}")
        }
        Ok(exponent) => {
            let (whole, fraction) = digits.split_at(exponent + 1);
            format!("{sign}{whole}.{fraction}")
        }
    }
}

/// Mantissa and exponent of the bits: `x = mantissa * 2^exponent`.
fn parts(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let raw = i32::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    if raw == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, raw - 1075)
    }
}

fn binary(x: f64) -> String {
    let (mantissa, exponent) = parts(x);
    let sign = if x.is_sign_negative() { "-" } else { "" };
    format!("{sign}{mantissa}p{exponent:+}")
}

fn hexadecimal(x: f64, format: u8, precision: Option<usize>) -> String {
    let (mut mantissa, mut exponent) = parts(x);
    if mantissa == 0 {
        exponent = 0;
    } else {
        // One digit before the point, then 60 bits after it.
        let shift = mantissa.leading_zeros() - 3;
        mantissa <<= shift;
        exponent += 60 - i32::try_from(shift).unwrap_or(0);
    }
    if let Some(digits) = precision.filter(|digits| *digits < 15) {
        let drop = 60 - 4 * u32::try_from(digits).unwrap_or(0);
        let rest = mantissa & ((1 << drop) - 1);
        mantissa >>= drop;
        let half = 1u64 << (drop - 1);
        mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
        mantissa <<= drop;
        if mantissa & 1 << 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let fraction = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_owned(),
        Some(digits) if digits <= 15 => fraction[..digits].to_owned(),
        Some(digits) => extend(fraction, digits - 15),
    };
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    let whole = mantissa >> 60;
    let text = with_exponent(&format!("{sign}0x{whole}{point}{fraction}"), 'p', exponent);
    if format == b'X' {
        text.to_uppercase()
    } else {
        text
    }
}
