//! Arithmetic on whatever can be taken for a number.

mod decimal;

use decimal::Decimal;

use super::{Args, Func, func, variadic};
use crate::cast::{to_float64, to_int64};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::strconv::{NumError, parse_int};
use crate::value::{Elem, List, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("int", &[Ty::Any], |_, args| {
        Ok(Value::Int(to_int64(args.value(0))))
    }),
    func("int64", &[Ty::Any], |_, args| {
        Ok(Value::Int64(to_int64(args.value(0))))
    }),
    func("float64", &[Ty::Any], |_, args| {
        Ok(Value::Float(to_float64(args.value(0))))
    }),
    func("atoi", &[Ty::Str], |_, args| {
        Ok(Value::Int(clamped(args.bytes(0), 10)))
    }),
    func("toDecimal", &[Ty::Any], |cx, args| {
        let text = super::strings::string_of(cx, args.value(0))?;
        Ok(Value::Int64(parse_int(&text, 8).unwrap_or(0)))
    }),
    func("add1", &[Ty::Any], |_, args| {
        Ok(Value::Int64(to_int64(args.value(0)).wrapping_add(1)))
    }),
    variadic("add", &[Ty::Any], |_, args| {
        let sum = args
            .rest(0)
            .iter()
            .fold(0i64, |sum, value| sum.wrapping_add(to_int64(value)));
        Ok(Value::Int64(sum))
    }),
    func("sub", &[Ty::Any, Ty::Any], |_, args| {
        Ok(Value::Int64(
            to_int64(args.value(0)).wrapping_sub(to_int64(args.value(1))),
        ))
    }),
    func("div", &[Ty::Any, Ty::Any], |_, args| {
        divided(args, i64::wrapping_div)
    }),
    func("mod", &[Ty::Any, Ty::Any], |_, args| {
        divided(args, i64::wrapping_rem)
    }),
    variadic("mul", &[Ty::Any, Ty::Any], |_, args| {
        let product = args
            .rest(0)
            .iter()
            .fold(1i64, |product, value| product.wrapping_mul(to_int64(value)));
        Ok(Value::Int64(product))
    }),
    variadic("max", &[Ty::Any, Ty::Any], |_, args| {
        Ok(chosen(args, i64::max))
    }),
    variadic("biggest", &[Ty::Any, Ty::Any], |_, args| {
        Ok(chosen(args, i64::max))
    }),
    variadic("min", &[Ty::Any, Ty::Any], |_, args| {
        Ok(chosen(args, i64::min))
    }),
    variadic("maxf", &[Ty::Any, Ty::Any], |_, args| {
        Ok(chosen_float(args, f64::max))
    }),
    variadic("minf", &[Ty::Any, Ty::Any], |_, args| {
        Ok(chosen_float(args, f64::min))
    }),
    func("add1f", &[Ty::Any], |cx, args| {
        decimals(cx, args.value(0), &[Value::Int(1)], |a, b| Ok(a.add(b)))
    }),
    variadic("addf", &[Ty::Any], |cx, args| {
        decimals(cx, &Value::Int(0), args.rest(0), |a, b| Ok(a.add(b)))
    }),
    variadic("subf", &[Ty::Any, Ty::Any], |cx, args| {
        decimals(cx, args.value(0), args.rest(1), |a, b| Ok(a.sub(b)))
    }),
    variadic("mulf", &[Ty::Any, Ty::Any], |cx, args| {
        decimals(cx, args.value(0), args.rest(1), |a, b| Ok(a.mul(b)))
    }),
    variadic("divf", &[Ty::Any, Ty::Any], |cx, args| {
        decimals(cx, args.value(0), args.rest(1), |a, b| {
            a.div(b)
                .ok_or_else(|| Failure::new("decimal division by 0"))
        })
    }),
    func("floor", &[Ty::Any], |_, args| {
        Ok(Value::Float(to_float64(args.value(0)).floor()))
    }),
    func("ceil", &[Ty::Any], |_, args| {
        Ok(Value::Float(to_float64(args.value(0)).ceil()))
    }),
    variadic("round", &[Ty::Any, Ty::Int, Ty::Float64], |_, args| {
        Ok(Value::Float(rounded(args)))
    }),
    func("until", &[Ty::Int], |cx, args| {
        let stop = args.int(0);
        ints(cx, 0, stop, if stop < 0 { -1 } else { 1 }).map(int_list)
    }),
    func("untilStep", &[Ty::Int, Ty::Int, Ty::Int], |cx, args| {
        ints(cx, args.int(0), args.int(1), args.int(2)).map(int_list)
    }),
    variadic("seq", &[Ty::Int], seq),
];

/// `strconv`'s number when the error is ignored: too large means the largest.
pub(super) fn clamped(text: &[u8], base: u32) -> i64 {
    match parse_int(text, base) {
        Ok(n) => n,
        Err(NumError::Syntax) => 0,
        Err(NumError::Range) if text.first() == Some(&b'-') => i64::MIN,
        Err(NumError::Range) => i64::MAX,
    }
}

fn divided(args: &Args, divide: fn(i64, i64) -> i64) -> Outcome<Value> {
    match to_int64(args.value(1)) {
        0 => Err(Failure::new("runtime error: integer divide by zero")),
        by => Ok(Value::Int64(divide(to_int64(args.value(0)), by))),
    }
}

fn chosen(args: &Args, choose: fn(i64, i64) -> i64) -> Value {
    let numbers = args.rest(0).iter().map(to_int64);
    Value::Int64(numbers.reduce(choose).unwrap_or(0))
}

/// As [`chosen`]; unlike Rust's, Go's functions let NaN win.
fn chosen_float(args: &Args, choose: fn(f64, f64) -> f64) -> Value {
    let numbers = args.rest(0).iter().map(to_float64);
    let either = |a: f64, b: f64| {
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            choose(a, b)
        }
    };
    Value::Float(numbers.reduce(either).unwrap_or(0.0))
}

/// Folds in exact decimals, so that `addf 0.1 0.2` is 0.3.
fn decimals(
    cx: &mut Context<'_>,
    first: &Value,
    rest: &[Value],
    apply: fn(&Decimal, &Decimal) -> Outcome<Decimal>,
) -> Outcome<Value> {
    let mut result = decimal_of(first)?;
    for value in rest {
        cx.meter.step(1 + result.digits() / 16)?;
        result = apply(&result, &decimal_of(value)?)?;
    }
    Ok(Value::Float(result.to_f64()))
}

fn decimal_of(value: &Value) -> Outcome<Decimal> {
    let x = to_float64(value);
    Decimal::from_f64(x).ok_or_else(|| {
        Failure::new("Cannot create a Decimal from ").value(lockstep_golang::float::general(x))
    })
}

fn rounded(args: &Args) -> f64 {
    let on = match args.rest(2).first() {
        Some(Value::Float(on)) => *on,
        _ => 0.5,
    };
    let power = power_of_ten(args.int(1));
    let shifted = power * to_float64(args.value(0));
    let whole = if shifted.fract() >= on {
        shifted.ceil()
    } else {
        shifted.floor()
    };
    whole / power
}

/// `math.Pow(10, exponent)`, with the rounding of Go's own loop.
fn power_of_ten(exponent: i64) -> f64 {
    // Ten is 0.625 * 2^4.
    let (mut mantissa, mut scale) = (0.625_f64, 4i64);
    let (mut result, mut shift) = (1.0_f64, 0i64);
    let mut left = exponent.unsigned_abs();
    while left != 0 {
        if !(-(1 << 12)..1 << 12).contains(&scale) {
            // Every further factor overflows.
            return if exponent < 0 { 0.0 } else { f64::INFINITY };
        }
        if left & 1 == 1 {
            result *= mantissa;
            shift += scale;
        }
        mantissa *= mantissa;
        scale *= 2;
        if mantissa < 0.5 {
            mantissa += mantissa;
            scale -= 1;
        }
        left >>= 1;
    }
    if exponent < 0 {
        (result, shift) = (1.0 / result, -shift);
    }
    scaled(result, shift)
}

/// `x * 2^shift`, rounded once.
fn scaled(x: f64, shift: i64) -> f64 {
    let power = |shift: i64| 2f64.powi(i32::try_from(shift.clamp(-1000, 1000)).unwrap_or(0));
    let first = shift.clamp(-1000, 1000);
    x * power(first) * power(shift - first)
}

/// `untilStep`: from `start` towards `limit`, which is not reached.
fn ints(cx: &mut Context<'_>, start: i64, limit: i64, step: i64) -> Outcome<Vec<i64>> {
    let mut numbers = Vec::new();
    if step == 0 || (limit < start) != (step < 0) {
        return Ok(numbers);
    }
    let count = (i128::from(limit) - i128::from(start))
        .unsigned_abs()
        .div_ceil(i128::from(step).unsigned_abs());
    cx.meter
        .charge_items(usize::try_from(count).unwrap_or(usize::MAX))?;
    let mut at = start;
    while if step > 0 { at < limit } else { at > limit } {
        numbers.push(at);
        match at.checked_add(step) {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(numbers)
}

fn int_list(numbers: Vec<i64>) -> Value {
    Value::List(List::of(
        Elem::Int,
        numbers.into_iter().map(Value::Int).collect(),
    ))
}

/// Like the command of that name: up to three numbers, the last included.
fn seq(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let n = |at| args.int(at);
    let towards = |start: i64, end: i64| if end < start { -1 } else { 1 };
    let (start, end, step) = match args.len() {
        1 => (1, n(0), towards(1, n(0))),
        2 => (n(0), n(1), towards(n(0), n(1))),
        3 if n(2) < n(0) && n(1) > 0 => return Ok(Value::from("")),
        3 => (n(0), n(2), n(1)),
        _ => return Ok(Value::from("")),
    };
    let limit = end.wrapping_add(towards(start, end));
    let numbers = ints(cx, start, limit, step)?;
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    cx.string(texts.join(" "))
}
