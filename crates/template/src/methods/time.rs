//! Methods of `time.Time` and `*time.Location`.

use lockstep_golang::duration::Duration;

use crate::failure::Failure;
use crate::funcs::{Func, method};
use crate::time::{Time, Zone};
use crate::value::{Object, Ty, Value};

const RFC3339_NANO: &[u8] = b"2006-01-02T15:04:05.999999999Z07:00";

/// Methods that tell something about a time.
pub(super) const READ: &[Func] = &[
    method("Year", &[], |_, this, _| {
        Ok(Value::Int(time(this).calendar().year))
    }),
    method("Month", &[], |_, this, _| {
        Ok(Value::object(Object::Month(time(this).calendar().month)))
    }),
    method("Day", &[], |_, this, _| Ok(int(time(this).calendar().day))),
    method("Hour", &[], |_, this, _| {
        Ok(int(time(this).calendar().hour))
    }),
    method("Minute", &[], |_, this, _| {
        Ok(int(time(this).calendar().minute))
    }),
    method("Second", &[], |_, this, _| {
        Ok(int(time(this).calendar().second))
    }),
    method("Nanosecond", &[], |_, this, _| {
        Ok(Value::Int(i64::from(time(this).nanos())))
    }),
    method("YearDay", &[], |_, this, _| {
        Ok(Value::Int(i64::from(time(this).calendar().year_day)))
    }),
    method("Weekday", &[], |_, this, _| {
        Ok(Value::object(Object::Weekday(
            time(this).calendar().weekday,
        )))
    }),
    method("Unix", &[], |_, this, _| {
        Ok(Value::Int64(time(this).seconds()))
    }),
    method("UnixMilli", &[], |_, this, _| {
        Ok(Value::Int64(scaled(&time(this), 1_000_000)))
    }),
    method("UnixMicro", &[], |_, this, _| {
        Ok(Value::Int64(scaled(&time(this), 1_000)))
    }),
    method("UnixNano", &[], |_, this, _| {
        Ok(Value::Int64(scaled(&time(this), 1)))
    }),
    method("IsZero", &[], |_, this, _| {
        Ok(Value::Bool(time(this).is_zero()))
    }),
    method("IsDST", &[], |_, _, _| Ok(Value::Bool(false))),
    method("Location", &[], |_, this, _| {
        Ok(Value::object(Object::Location(time(this).zone().clone())))
    }),
    method("String", &[], |_, this, _| {
        Ok(Value::from(time(this).to_string()))
    }),
    method("GoString", &[], |_, this, _| {
        Ok(Value::from(time(this).go_string()))
    }),
    method("Format", &[Ty::Str], |cx, this, args| {
        let text = time(this).format(args.bytes(0));
        cx.string(text)
    }),
    method("MarshalText", &[], |_, this, _| {
        Ok(super::bytes(&time(this).format(RFC3339_NANO)))
    }),
    method("MarshalJSON", &[], |_, this, _| {
        let text = time(this).format(RFC3339_NANO);
        Ok(super::bytes(&[b"\"", &text[..], b"\""].concat()))
    }),
];

/// Methods that make or compare times.
pub(super) const DERIVE: &[Func] = &[
    method("UTC", &[], |_, this, _| {
        Ok(moment(time(this).in_zone(Zone::Utc)))
    }),
    method("Local", &[], |_, this, _| {
        Ok(moment(time(this).in_zone(Zone::Local)))
    }),
    method("In", &[Ty::Location], |_, this, args| {
        match args.value(0).as_object() {
            Some(Object::Location(zone)) => Ok(moment(time(this).in_zone(zone.clone()))),
            _ => Err(Failure::new("time: missing Location in call to Time.In")),
        }
    }),
    method("Add", &[Ty::Duration], |_, this, args| {
        Ok(moment(time(this).add(span(args.value(0)))))
    }),
    method("AddDate", &[Ty::Int, Ty::Int, Ty::Int], |_, this, args| {
        Ok(moment(time(this).add_date(
            args.int(0),
            args.int(1),
            args.int(2),
        )))
    }),
    method("Sub", &[Ty::Time], |_, this, args| {
        Ok(Value::object(Object::Duration(
            time(this).since(&time(args.value(0))),
        )))
    }),
    method("Truncate", &[Ty::Duration], |_, this, args| {
        let (time, unit) = (time(this), span(args.value(0)));
        if unit.as_nanos() <= 0 {
            return Ok(moment(time));
        }
        let rest = time.remainder(unit).as_nanos();
        Ok(moment(time.add(Duration::from_nanos(-rest))))
    }),
    method("Round", &[Ty::Duration], |_, this, args| {
        let (time, unit) = (time(this), span(args.value(0)));
        if unit.as_nanos() <= 0 {
            return Ok(moment(time));
        }
        let rest = time.remainder(unit).as_nanos();
        let down = rest.unsigned_abs().saturating_mul(2) < unit.as_nanos().unsigned_abs();
        let step = if down { -rest } else { unit.as_nanos() - rest };
        Ok(moment(time.add(Duration::from_nanos(step))))
    }),
    method("Before", &[Ty::Time], |_, this, args| {
        Ok(Value::Bool(
            time(this).total_nanos() < time(args.value(0)).total_nanos(),
        ))
    }),
    method("After", &[Ty::Time], |_, this, args| {
        Ok(Value::Bool(
            time(this).total_nanos() > time(args.value(0)).total_nanos(),
        ))
    }),
    method("Equal", &[Ty::Time], |_, this, args| {
        Ok(Value::Bool(
            time(this).total_nanos() == time(args.value(0)).total_nanos(),
        ))
    }),
    method("Compare", &[Ty::Time], |_, this, args| {
        let order = time(this)
            .total_nanos()
            .cmp(&time(args.value(0)).total_nanos());
        Ok(Value::Int(order as i64))
    }),
];

pub(super) const LOCATION: &[Func] = &[method("String", &[], |_, this, _| {
    Ok(Value::from(
        this.as_object().and_then(Object::text).unwrap_or_default(),
    ))
})];

fn time(value: &Value) -> Time {
    match value.as_object() {
        Some(Object::Time(time)) => time.clone(),
        _ => Time::zero(),
    }
}

fn moment(time: Time) -> Value {
    Value::object(Object::Time(time))
}

fn span(value: &Value) -> Duration {
    match value.as_object() {
        Some(Object::Duration(span)) => *span,
        _ => Duration::from_nanos(0),
    }
}

fn int(n: u8) -> Value {
    Value::Int(i64::from(n))
}

/// The time since 1970 in units of that many nanoseconds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "Go wraps around where 64 bits are too few"
)]
fn scaled(time: &Time, unit: i128) -> i64 {
    time.total_nanos().div_euclid(unit) as i64
}
