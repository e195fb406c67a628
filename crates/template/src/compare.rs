//! The comparison functions of templates, and Go's `reflect.DeepEqual`.

use std::cmp::Ordering;

use crate::failure::{Failure, Outcome};
use crate::limits::{Exceeded, MAX_NESTING, Meter};
use crate::print::{Cap, sprintf};
use crate::value::{Kind, Object, Value};

/// The kinds that can be compared with each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basic {
    Bool,
    Complex,
    Int,
    Float,
    String,
    Uint,
    None,
}

fn basic(value: &Value) -> Basic {
    match value.kind() {
        Kind::Bool => Basic::Bool,
        Kind::Complex128 => Basic::Complex,
        Kind::Float64 => Basic::Float,
        Kind::String => Basic::String,
        kind if kind.is_signed() => Basic::Int,
        kind if kind.is_unsigned() => Basic::Uint,
        _ => Basic::None,
    }
}

/// An integer of any kind, wide enough for all of them.
fn integer(value: &Value) -> i128 {
    match (value.as_signed(), value.as_unsigned()) {
        (Some(n), _) => i128::from(n),
        (None, Some(n)) => i128::from(n),
        (None, None) => 0,
    }
}

/// `eq`: whether `first` equals any of `rest`.
pub(crate) fn equal_any(first: &Value, rest: &[Value]) -> Outcome<bool> {
    if rest.is_empty() {
        return Err(Failure::new("missing argument for comparison"));
    }
    for other in rest {
        if equal(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(a: &Value, b: &Value) -> Outcome<bool> {
    let (ka, kb) = (basic(a), basic(b));
    Ok(match (ka, kb) {
        (Basic::Int | Basic::Uint, Basic::Int | Basic::Uint) => integer(a) == integer(b),
        _ if ka != kb => {
            if !a.is_nil() && !b.is_nil() {
                return Err(incompatible(a, b));
            }
            false
        }
        (Basic::None, _) => return equal_others(a, b),
        _ => match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            #[expect(clippy::float_cmp, reason = "Go compares exactly")]
            (Value::Float(a), Value::Float(b)) => a == b,
            _ => same_complex(a, b),
        },
    })
}

#[expect(clippy::float_cmp, reason = "Go compares exactly")]
fn same_complex(a: &Value, b: &Value) -> bool {
    match (a.as_object(), b.as_object()) {
        (Some(Object::Complex { re, im }), Some(Object::Complex { re: x, im: y })) => {
            re == x && im == y
        }
        _ => false,
    }
}

/// Values that are neither numbers, strings nor booleans: nil, structs, pointers.
fn equal_others(a: &Value, b: &Value) -> Outcome<bool> {
    let (ka, kb) = (a.kind(), b.kind());
    if ka != kb && ka != Kind::Invalid && kb != Kind::Invalid {
        let (ta, tb) = (a.type_name(), b.type_name());
        return Err(Failure::new("non-comparable types ")
            .value(shown(b"%s", a))
            .text(format!(": {ta}, {tb}: "))
            .value(shown(b"%v", b)));
    }
    if is_nil(a) || is_nil(b) {
        return Ok(is_nil(a) && is_nil(b));
    }
    match (a.as_object(), b.as_object()) {
        (Some(Object::Certificate(a)), Some(Object::Certificate(b))) => {
            Ok(a.cert == b.cert && a.key == b.key)
        }
        (Some(Object::Time(a)), Some(Object::Time(b))) => {
            Ok(a.total_nanos() == b.total_nanos() && a.zone().name() == b.zone().name())
        }
        (Some(Object::Version(a)), Some(Object::Version(b))) => Ok(a == b),
        (Some(Object::VersionPtr(a)), Some(Object::VersionPtr(b))) => Ok(std::ptr::eq(a, b)),
        (Some(Object::Location(a)), Some(Object::Location(b))) => Ok(a.name() == b.name()),
        (Some(_), Some(_)) => Ok(false),
        _ => Err(Failure::new("non-comparable type ")
            .value(shown(b"%s", b))
            .text(format!(": {}", b.type_name()))),
    }
}

/// The value for an error text, unless it is long.
fn shown(format: &[u8], value: &Value) -> String {
    let cap = Cap {
        bytes: 256,
        exceeded: Exceeded::Nesting,
    };
    let text = sprintf(format, std::slice::from_ref(value), cap).unwrap_or_default();
    lockstep_golang::unicode::to_valid_utf8(&text)
}

fn is_nil(value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::List(list) => list.is_nil(),
        Value::Map(map) => map.is_nil(),
        _ => false,
    }
}

fn incompatible(a: &Value, b: &Value) -> Failure {
    let (a, b) = (a.type_name(), b.type_name());
    Failure::new(format!("incompatible types for comparison: {a} and {b}"))
}

/// `lt`, and the base of the other ordering functions.
pub(crate) fn less(a: &Value, b: &Value) -> Outcome<bool> {
    let bad = || Failure::new("invalid type for comparison");
    let (ka, kb) = (basic(a), basic(b));
    if ka == Basic::None || kb == Basic::None {
        return Err(bad());
    }
    match (ka, kb) {
        (Basic::Int | Basic::Uint, Basic::Int | Basic::Uint) => {
            return Ok(integer(a).cmp(&integer(b)) == Ordering::Less);
        }
        _ if ka != kb => return Err(incompatible(a, b)),
        _ => {}
    }
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => Ok(a < b),
        (Value::Str(a), Value::Str(b)) => Ok(a < b),
        _ => Err(bad()),
    }
}

/// `le`
pub(crate) fn less_or_equal(a: &Value, b: &Value) -> Outcome<bool> {
    Ok(less(a, b)? || equal(a, b)?)
}

/// `reflect.DeepEqual`: same types and same contents, all the way down.
pub(crate) fn deep_equal(a: &Value, b: &Value, meter: &mut Meter) -> Result<bool, Exceeded> {
    deep(a, b, meter, 0)
}

fn deep(a: &Value, b: &Value, meter: &mut Meter, depth: usize) -> Result<bool, Exceeded> {
    meter.step(1)?;
    if depth > MAX_NESTING {
        return Err(Exceeded::Nesting);
    }
    if a.type_name() != b.type_name() {
        return Ok(false);
    }
    match (a, b) {
        (Value::Nil, Value::Nil) => Ok(true),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() || a.is_nil() != b.is_nil() {
                return Ok(false);
            }
            for (a, b) in a.to_vec().iter().zip(&b.to_vec()) {
                if !deep(a, b, meter, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() || a.is_nil() != b.is_nil() {
                return Ok(false);
            }
            if a.is_same(b) {
                return Ok(true);
            }
            for ((ka, va), (kb, vb)) in a.entries().iter().zip(&b.entries()) {
                if ka != kb || !deep(va, vb, meter, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::StrMap(a), Value::StrMap(b)) => Ok(a.iter().eq(b.iter())),
        _ => Ok(match (a.as_object(), b.as_object()) {
            (Some(Object::VersionPtr(a)), Some(Object::VersionPtr(b))) => a == b,
            _ => equal(a, b).unwrap_or(false),
        }),
    }
}
