//! Methods of `time.Duration`, `time.Month` and `time.Weekday`.

use lockstep_golang::duration::Duration;

use crate::funcs::{Args, Func, method};
use crate::value::{Object, Ty, Value};

const MICRO: i64 = 1_000;
const MILLI: i64 = 1_000_000;
const SECOND: i64 = 1_000_000_000;

pub(super) const DURATION: &[Func] = &[
    method("String", &[], |_, this, _| {
        Ok(Value::from(span(this).to_string()))
    }),
    method("Nanoseconds", &[], |_, this, _| {
        Ok(Value::Int64(span(this).as_nanos()))
    }),
    method("Microseconds", &[], |_, this, _| {
        Ok(Value::Int64(span(this).as_nanos() / MICRO))
    }),
    method("Milliseconds", &[], |_, this, _| {
        Ok(Value::Int64(span(this).as_nanos() / MILLI))
    }),
    method("Seconds", &[], |_, this, _| {
        Ok(Value::Float(in_units(this, SECOND)))
    }),
    method("Minutes", &[], |_, this, _| {
        Ok(Value::Float(in_units(this, 60 * SECOND)))
    }),
    method("Hours", &[], |_, this, _| {
        Ok(Value::Float(in_units(this, 3600 * SECOND)))
    }),
    method("Abs", &[], |_, this, _| {
        Ok(value(
            span(this).as_nanos().checked_abs().unwrap_or(i64::MAX),
        ))
    }),
    method("Truncate", &[Ty::Duration], |_, this, args| {
        let (nanos, unit) = (span(this).as_nanos(), unit(args));
        Ok(value(if unit <= 0 {
            nanos
        } else {
            nanos - nanos % unit
        }))
    }),
    method("Round", &[Ty::Duration], |_, this, args| {
        Ok(value(round(span(this).as_nanos(), unit(args))))
    }),
];

/// Months and weekdays know nothing but their name.
pub(super) const NAMED: &[Func] = &[method("String", &[], |_, this, _| {
    Ok(Value::from(
        this.as_object().and_then(Object::text).unwrap_or_default(),
    ))
})];

fn span(value: &Value) -> Duration {
    match value.as_object() {
        Some(Object::Duration(span)) => *span,
        _ => Duration::from_nanos(0),
    }
}

fn unit(args: &Args) -> i64 {
    span(args.value(0)).as_nanos()
}

fn value(nanos: i64) -> Value {
    Value::object(Object::Duration(Duration::from_nanos(nanos)))
}

/// Whole units and the fraction are divided apart, as Go does.
#[expect(clippy::cast_precision_loss, reason = "the parts are small enough")]
fn in_units(this: &Value, unit: i64) -> f64 {
    let nanos = span(this).as_nanos();
    (nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64
}

/// Rounds half away from zero, saturating.
pub(crate) fn round(nanos: i64, unit: i64) -> i64 {
    if unit <= 0 {
        return nanos;
    }
    let rest = nanos % unit;
    let half = rest.unsigned_abs().saturating_mul(2) < unit.unsigned_abs();
    if half {
        return nanos - rest;
    }
    let away = if nanos < 0 { -unit } else { unit };
    let bound = if nanos < 0 { i64::MIN } else { i64::MAX };
    (nanos - rest).checked_add(away).unwrap_or(bound)
}
