//! Dates and durations. What is neither a time nor a number means now, as upstream has it.

use lockstep_golang::duration::Duration;

use super::{Args, Func, func};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::time::{ParseError, Time, Zone};
use crate::value::{Object, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("now", &[], |cx, _| Ok(moment(now(cx)))),
    func("date", &[Ty::Str, Ty::Any], |cx, args| {
        formatted(cx, args.bytes(0), args.value(1), b"Local")
    }),
    func("dateInZone", &[Ty::Str, Ty::Any, Ty::Str], date_in_zone),
    func("date_in_zone", &[Ty::Str, Ty::Any, Ty::Str], date_in_zone),
    func("htmlDate", &[Ty::Any], |cx, args| {
        formatted(cx, b"2006-01-02", args.value(0), b"Local")
    }),
    func("htmlDateInZone", &[Ty::Any, Ty::Str], |cx, args| {
        formatted(cx, b"2006-01-02", args.value(0), args.bytes(1))
    }),
    func("dateModify", &[Ty::Str, Ty::Time], date_modify),
    func("date_modify", &[Ty::Str, Ty::Time], date_modify),
    func("mustDateModify", &[Ty::Str, Ty::Time], must_date_modify),
    func("must_date_modify", &[Ty::Str, Ty::Time], must_date_modify),
    func("toDate", &[Ty::Str, Ty::Str], |_, args| {
        Ok(moment(
            Time::parse(args.bytes(0), args.bytes(1)).unwrap_or_else(|_| Time::zero()),
        ))
    }),
    func("mustToDate", &[Ty::Str, Ty::Str], |_, args| {
        Time::parse(args.bytes(0), args.bytes(1))
            .map(moment)
            .map_err(|why| parse_failure(&why))
    }),
    func("unixEpoch", &[Ty::Time], |_, args| {
        Ok(Value::from(time(args, 0).seconds().to_string()))
    }),
    func("ago", &[Ty::Any], |cx, args| {
        let then = time_of(cx, args.value(0));
        let nanos = now(cx).since(&then).as_nanos();
        let rounded = Duration::from_nanos(crate::methods::round(nanos, 1_000_000_000));
        Ok(Value::from(rounded.to_string()))
    }),
    func("duration", &[Ty::Any], |_, args| {
        let seconds = match args.value(0) {
            Value::Str(text) => super::numbers::clamped(text, 10),
            Value::Int64(seconds) => *seconds,
            _ => 0,
        };
        Ok(Value::from(
            Duration::from_nanos(seconds.wrapping_mul(1_000_000_000)).to_string(),
        ))
    }),
    func("durationRound", &[Ty::Any], |cx, args| {
        let span = match args.value(0) {
            Value::Str(text) => parse_duration(text).unwrap_or_default(),
            Value::Int64(nanos) => Duration::from_nanos(*nanos),
            value => match value.as_object() {
                Some(Object::Time(then)) => now(cx).since(then),
                _ => Duration::default(),
            },
        };
        Ok(Value::from(rounded(span)))
    }),
];

fn now(cx: &Context<'_>) -> Time {
    Time::from_timestamp(cx.env.now)
}

fn moment(time: Time) -> Value {
    Value::object(Object::Time(time))
}

fn time(args: &Args, at: usize) -> Time {
    match args.value(at).as_object() {
        Some(Object::Time(time)) => time.clone(),
        _ => Time::zero(),
    }
}

/// A time, or a number of seconds since 1970; anything else is now.
fn time_of(cx: &Context<'_>, value: &Value) -> Time {
    match value {
        Value::Int(seconds) | Value::Int64(seconds) => Time::unix(*seconds, 0),
        _ => match value.as_object() {
            Some(Object::Time(time)) => time.clone(),
            _ => now(cx),
        },
    }
}

fn formatted(cx: &mut Context<'_>, layout: &[u8], value: &Value, zone: &[u8]) -> Outcome<Value> {
    let zone = Zone::load(zone).unwrap_or(Zone::Utc);
    cx.reserve(layout.len().saturating_mul(3))?;
    Ok(Value::from(time_of(cx, value).in_zone(zone).format(layout)))
}

fn date_in_zone(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    formatted(cx, args.bytes(0), args.value(1), args.bytes(2))
}

fn parse_duration(text: &[u8]) -> Option<Duration> {
    Duration::parse(std::str::from_utf8(text).ok()?).ok()
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of all functions")]
fn date_modify(_: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let time = time(args, 1);
    Ok(moment(match parse_duration(args.bytes(0)) {
        Some(span) => time.add(span),
        None => time,
    }))
}

fn must_date_modify(_: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let Ok(text) = std::str::from_utf8(args.bytes(0)) else {
        let shown = crate::time::quote(args.bytes(0));
        return Err(Failure::new("time: invalid duration ").value(shown));
    };
    match Duration::parse(text) {
        Ok(span) => Ok(moment(time(args, 1).add(span))),
        Err(error) => Err(Failure::of_value(error.to_string())),
    }
}

fn parse_failure(error: &ParseError) -> Failure {
    use crate::time::Cause;
    let start = Failure::new("parsing time ").value(error.value.as_str());
    match &error.cause {
        Cause::Mismatch { layout, element } => start
            .text(format!(" as {layout}: cannot parse "))
            .value(error.rest.as_str())
            .text(format!(" as {element}")),
        Cause::Extra => start.text(": extra text: ").value(error.rest.as_str()),
        Cause::Message(text) => start.text(format!(": {text}")),
    }
}

/// The largest unit that fits more than once, cut to whole ones.
fn rounded(span: Duration) -> String {
    const UNITS: [(&str, u64); 6] = [
        ("y", 365 * 24 * 3600),
        ("mo", 30 * 24 * 3600),
        ("d", 24 * 3600),
        ("h", 3600),
        ("m", 60),
        ("s", 1),
    ];
    let nanos = span.as_nanos().unsigned_abs();
    for (name, seconds) in UNITS {
        let unit = seconds * 1_000_000_000;
        if nanos > unit {
            return format!("{}{name}", nanos / unit);
        }
    }
    "0s".to_owned()
}
