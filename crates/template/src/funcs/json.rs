//! JSON in and out, as `encoding/json` has it.

mod decode;
mod encode;

use encode::Style;
use lockstep_golang::float;
use lockstep_golang::json::{self, Number};

use super::{Args, Func, func};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::limits::{Exceeded, Meter};
use crate::value::{List, Map, Str, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("fromJson", &[Ty::Str], |cx, args| {
        match from_json(cx, args.bytes(0)) {
            Err(Failure::Message(_)) => without_large_numbers(cx, args.bytes(0)),
            other => other,
        }
    }),
    func("mustFromJson", &[Ty::Str], |cx, args| {
        from_json(cx, args.bytes(0))
    }),
    func("toJson", &[Ty::Any], |cx, args| {
        lenient(cx, args, Style::Compact)
    }),
    func("mustToJson", &[Ty::Any], |cx, args| {
        strict(cx, args, Style::Compact)
    }),
    func("toPrettyJson", &[Ty::Any], |cx, args| {
        lenient(cx, args, Style::Pretty)
    }),
    func("mustToPrettyJson", &[Ty::Any], |cx, args| {
        strict(cx, args, Style::Pretty)
    }),
    func("toRawJson", &[Ty::Any], |cx, args| {
        strict(cx, args, Style::Raw)
    }),
    func("mustToRawJson", &[Ty::Any], |cx, args| {
        strict(cx, args, Style::Raw)
    }),
];

fn from_json(cx: &mut Context<'_>, text: &[u8]) -> Outcome<Value> {
    super::yaml::reserve_nodes(cx, text)?;
    if let Some(value) = decode::decode(&mut cx.meter, text)? {
        return Ok(value);
    }
    match json::decode(text) {
        Ok(decoded) => Ok(value_of(&mut cx.meter, decoded)?),
        Err(error) => Err(json_failure("", &error)),
    }
}

/// What is left of a document that was refused: all of it but the numbers no float64 can hold, or
/// nothing if it is no JSON.
fn without_large_numbers(cx: &mut Context<'_>, text: &[u8]) -> Outcome<Value> {
    match json::decode_numbers_as_text(text) {
        Ok(decoded) => Ok(value_of(&mut cx.meter, floats_or_null(decoded))?),
        Err(_) => Ok(Value::Nil),
    }
}

fn floats_or_null(value: json::Value) -> json::Value {
    match value {
        json::Value::Number(Number::Text(text)) => float::parse(text.as_bytes())
            .map_or(json::Value::Null, |x| json::Value::Number(Number::Float(x))),
        json::Value::Array(items) => {
            json::Value::Array(items.into_iter().map(floats_or_null).collect())
        }
        json::Value::Object(members) => {
            let members = members.into_iter();
            json::Value::Object(members.map(|(k, v)| (k, floats_or_null(v))).collect())
        }
        other => other,
    }
}

pub(super) fn to_json(meter: &mut Meter, value: &Value) -> Outcome<Vec<u8>> {
    encode::encode(meter, value, Style::Compact)
}

/// What cannot be encoded is empty.
fn lenient(cx: &mut Context<'_>, args: &Args, style: Style) -> Outcome<Value> {
    match encode::encode(&mut cx.meter, args.value(0), style) {
        Ok(text) => cx.string(text),
        Err(Failure::Message(_)) => Ok(Value::from("")),
        Err(limit) => Err(limit),
    }
}

fn strict(cx: &mut Context<'_>, args: &Args, style: Style) -> Outcome<Value> {
    let text = encode::encode(&mut cx.meter, args.value(0), style)?;
    cx.string(text)
}

/// The sentence of a JSON error behind `before`; the character of the input in it is a value.
pub(crate) fn json_failure(before: &str, error: &json::Error) -> Failure {
    let start = Failure::new(before);
    match error {
        json::Error::UnexpectedEnd => start.text(error.to_string()),
        json::Error::InvalidCharacter { place, .. } => {
            let shown = error.to_string();
            let byte = shown
                .strip_prefix("invalid character ")
                .and_then(|rest| rest.strip_suffix(place))
                .unwrap_or_default();
            start
                .text("invalid character ")
                .value(byte.trim_end())
                .text(format!(" {place}"))
        }
        _ => start.value(error.to_string()),
    }
}

/// A decoded document as template values.
pub(super) fn value_of(meter: &mut Meter, decoded: json::Value) -> Result<Value, Exceeded> {
    meter.charge(size_of::<Value>())?;
    Ok(match decoded {
        json::Value::Null => Value::Nil,
        json::Value::Bool(b) => Value::Bool(b),
        json::Value::Number(Number::Float(x)) => Value::Float(x),
        json::Value::Number(Number::Int(n)) => Value::Int64(n),
        json::Value::Number(Number::Text(text)) => Value::from(text),
        json::Value::String(text) => {
            meter.charge(text.len())?;
            Value::from(text)
        }
        json::Value::Array(items) => {
            let items: Result<_, _> = items
                .into_iter()
                .map(|item| value_of(meter, item))
                .collect();
            Value::List(List::any(items?))
        }
        json::Value::Object(members) => {
            let entries: Result<_, Exceeded> = members
                .into_iter()
                .map(|(key, member)| {
                    meter.charge(key.len())?;
                    Ok((Str::from(key), value_of(meter, member)?))
                })
                .collect();
            Value::Map(Map::new(entries?))
        }
    })
}
