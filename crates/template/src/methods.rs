//! Methods of Go's types that templates can call: `{{ now.Year }}`, `{{ $v.Major }}`.
//!
//! A method is a [`Func`] with a receiver; arity and argument types are checked as for functions.

mod duration;
mod time;
mod version;

pub(crate) use duration::round;
pub(crate) use version::error as version_error;

use crate::funcs::Func;
use crate::value::{Elem, List, Object, Value};

/// The method `name` of the type of `value`, if it has one.
pub(crate) fn lookup(value: &Value, name: &[u8]) -> Option<&'static Func> {
    let tables: &[&'static [Func]] = match value.as_object()? {
        Object::Time(_) => &[time::READ, time::DERIVE],
        Object::Duration(_) => &[duration::DURATION],
        Object::Month(_) | Object::Weekday(_) => &[duration::NAMED],
        Object::Location(_) => &[time::LOCATION],
        Object::Version(_) => &[version::VALUE],
        Object::VersionPtr(_) => &[version::VALUE, version::POINTER],
        Object::Certificate(_) | Object::Complex { .. } => return None,
    };
    tables
        .iter()
        .flat_map(|table| table.iter())
        .find(|func| func.name.as_bytes() == name)
}

/// Why a method of Go's type cannot be called from a template: it returns several values.
pub(crate) fn refusal(value: &Value, name: &[u8]) -> Option<&'static str> {
    let Object::Time(_) = value.as_object()? else {
        return None;
    };
    match name {
        b"Date" => Some("function Date has 3 return values; should be 1 or 2"),
        b"Clock" => Some("function Clock has 3 return values; should be 1 or 2"),
        b"ISOWeek" => Some(
            "invalid function signature for ISOWeek: second return value should be error; is int",
        ),
        b"Zone" => {
            Some("invalid function signature for Zone: second return value should be error; is int")
        }
        b"ZoneBounds" => Some(
            "invalid function signature for ZoneBounds: second return value should be error; \
             is time.Time",
        ),
        _ => None,
    }
}

/// Go's `[]byte`.
fn bytes(text: &[u8]) -> Value {
    Value::List(List::of(
        Elem::Byte,
        text.iter().copied().map(Value::Uint8).collect(),
    ))
}
