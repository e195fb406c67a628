//! Numeric and character constants: every type that can represent the value is recorded.

use crate::ast::Number;
use crate::lex::{Kind, Token};
use crate::strconv::{parse_float, parse_int, parse_uint, quote, unquote_char};

pub(super) fn parse(source: &[u8], token: Token) -> Result<Number, String> {
    let text = &source[token.span().range()];
    let empty = Number {
        text: token.span(),
        int: None,
        uint: None,
        float: None,
        complex: None,
    };
    match token.kind() {
        Kind::CharConstant => char_constant(text, empty),
        Kind::Complex => complex_constant(text, empty),
        _ => number(text, empty),
    }
}

fn char_constant(text: &[u8], number: Number) -> Result<Number, String> {
    let (unit, tail) = unquote_char(&text[1..], b'\'').ok_or("invalid syntax")?;
    if tail != b"'" {
        let shown = String::from_utf8_lossy(text);
        return Err(format!("malformed character constant: {shown}"));
    }
    let code = unit.code();
    Ok(Number {
        int: Some(i64::from(code)),
        uint: Some(u64::from(code)),
        float: Some(f64::from(code)),
        ..number
    })
}

/// `1+2i`: two floats, the second with its sign.
fn complex_constant(text: &[u8], number: Number) -> Result<Number, String> {
    let body = &text[..text.len() - 1];
    let split = (1..body.len())
        .rev()
        .find(|at| {
            matches!(body[*at], b'+' | b'-') && !matches!(body[at - 1], b'e' | b'E' | b'p' | b'P')
        })
        .ok_or("syntax error scanning complex number")?;
    match (parse_float(&body[..split]), parse_float(&body[split..])) {
        (Ok(re), Ok(im)) => Ok(simplify(number, re, im)),
        _ => Err("syntax error scanning complex number".to_owned()),
    }
}

/// A complex number without imaginary part is also a real one.
fn simplify(number: Number, re: f64, im: f64) -> Number {
    let real = (im == 0.0).then_some(re);
    Number {
        complex: Some((re, im)),
        float: real,
        int: real.and_then(exact_int),
        uint: real.and_then(exact_uint),
        ..number
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "Go rounds large constants likewise"
)]
fn number(text: &[u8], mut number: Number) -> Result<Number, String> {
    if let [digits @ .., b'i'] = text
        && let Ok(im) = parse_float(digits)
    {
        return Ok(simplify(number, 0.0, im));
    }
    number.uint = parse_uint(text, 0).ok();
    number.int = parse_int(text, 0).ok();
    if number.int == Some(0) {
        number.uint = Some(0);
    }
    if let Some(int) = number.int {
        number.float = Some(int as f64);
    } else if let Some(uint) = number.uint {
        number.float = Some(uint as f64);
    } else if let Ok(x) = parse_float(text) {
        if !text
            .iter()
            .any(|b| matches!(b, b'.' | b'e' | b'E' | b'p' | b'P'))
        {
            return Err(format!("integer overflow: {}", quote(text)));
        }
        number.float = Some(x);
        number.int = exact_int(x);
        number.uint = exact_uint(x);
    } else {
        return Err(format!("illegal number syntax: {}", quote(text)));
    }
    Ok(number)
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range and the fraction are checked"
)]
fn exact_int(x: f64) -> Option<i64> {
    ((-TWO_63..TWO_63).contains(&x) && x.fract() == 0.0).then_some(x as i64)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range and the fraction are checked"
)]
fn exact_uint(x: f64) -> Option<u64> {
    ((0.0..2.0 * TWO_63).contains(&x) && x.fract() == 0.0).then_some(x as u64)
}
