//! The functions of Go's `text/template` itself.

use super::{Args, Body, Func, func, variadic};
use crate::compare;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::limits::Exceeded;
use crate::print::{self, Cap};
use crate::value::{MapKind, StrMap, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    Func {
        name: "and",
        params: &[Ty::Reflect, Ty::Reflect],
        variadic: true,
        body: Body::And,
    },
    Func {
        name: "or",
        params: &[Ty::Reflect, Ty::Reflect],
        variadic: true,
        body: Body::Or,
    },
    Func {
        name: "call",
        params: &[Ty::Reflect, Ty::Reflect],
        variadic: true,
        body: Body::Call,
    },
    func("not", &[Ty::Reflect], |_, args| {
        Ok(Value::Bool(!args.value(0).is_true()))
    }),
    func("len", &[Ty::Reflect], |_, args| length(args)),
    variadic("index", &[Ty::Reflect, Ty::Reflect], |_, args| index(args)),
    variadic("print", &[Ty::Any], |cx, args| {
        let text = print::sprint(args.rest(0), cap(cx))?;
        cx.string(text)
    }),
    variadic("println", &[Ty::Any], |cx, args| {
        let text = print::sprintln(args.rest(0), cap(cx))?;
        cx.string(text)
    }),
    variadic("printf", &[Ty::Str, Ty::Any], |cx, args| {
        let text = print::sprintf(args.bytes(0), args.rest(1), cap(cx))?;
        cx.string(text)
    }),
    variadic("html", &[Ty::Any], |cx, args| escaped(cx, args, html)),
    variadic("js", &[Ty::Any], |cx, args| escaped(cx, args, js)),
    variadic("urlquery", &[Ty::Any], |cx, args| {
        escaped(cx, args, super::urls::query_escape)
    }),
    variadic("eq", &[Ty::Reflect, Ty::Reflect], |_, args| {
        compare::equal_any(args.value(0), args.rest(1)).map(Value::Bool)
    }),
    func("ne", &[Ty::Reflect, Ty::Reflect], |_, args| {
        compare::equal_any(args.value(0), args.rest(1)).map(|equal| Value::Bool(!equal))
    }),
    func("lt", &[Ty::Reflect, Ty::Reflect], |_, args| {
        compare::less(args.value(0), args.value(1)).map(Value::Bool)
    }),
    func("le", &[Ty::Reflect, Ty::Reflect], |_, args| {
        compare::less_or_equal(args.value(0), args.value(1)).map(Value::Bool)
    }),
    func("gt", &[Ty::Reflect, Ty::Reflect], |_, args| {
        compare::less_or_equal(args.value(0), args.value(1)).map(|le| Value::Bool(!le))
    }),
    func("ge", &[Ty::Reflect, Ty::Reflect], |_, args| {
        compare::less(args.value(0), args.value(1)).map(|lt| Value::Bool(!lt))
    }),
];

/// How much a function may print.
pub(super) fn cap(cx: &Context<'_>) -> Cap {
    Cap {
        bytes: cx.meter.left().memory,
        exceeded: Exceeded::Memory(cx.meter.limits().memory),
    }
}

fn length(args: &Args) -> Outcome<Value> {
    let item = args.value(0);
    let len = match item {
        Value::Nil if args.is_nil_interface(0) => {
            return Err(Failure::new("len of nil pointer"));
        }
        Value::Nil => {
            return Err(Failure::new(
                "reflect: call of reflect.Value.Type on zero Value",
            ));
        }
        Value::Str(text) => text.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        Value::StrMap(map) => map.len(),
        _ => {
            // A pointer is followed before its type is named.
            let name = item.type_name();
            let name = name.strip_prefix('*').unwrap_or(name);
            return Err(Failure::new(format!("len of type {name}")));
        }
    };
    Ok(Value::Int(i64::try_from(len).unwrap_or(i64::MAX)))
}

fn index(args: &mut Args) -> Outcome<Value> {
    let mut item = args.take(0);
    if item.is_nil() {
        return Err(Failure::new("index of untyped nil"));
    }
    for key in args.rest(1) {
        item = match &item {
            Value::Nil => return Err(Failure::new("index of nil pointer")),
            Value::List(list) => {
                let at = position(key, list.len())?;
                list.get(at)
                    .ok_or_else(|| out_of_range("slice", at, list.len()))?
            }
            Value::Str(text) => {
                let at = position(key, text.len())?;
                let byte = text
                    .get(at)
                    .ok_or_else(|| out_of_range("string", at, text.len()))?;
                Value::Uint8(*byte)
            }
            Value::Map(map) => match map.get(map_key(key)?) {
                Some(value) => value,
                None if map.kind() == MapKind::Any => Value::Nil,
                None => Value::StrMap(StrMap::default()),
            },
            Value::StrMap(map) => Value::Str(map.get(map_key(key)?).cloned().unwrap_or_default()),
            _ => {
                let name = item.type_name();
                let name = name.strip_prefix('*').unwrap_or(name);
                return Err(Failure::new(format!("can't index item of type {name}")));
            }
        };
    }
    Ok(item)
}

fn map_key(key: &Value) -> Outcome<&[u8]> {
    match key {
        Value::Str(text) => Ok(text),
        Value::Nil => Err(Failure::new("value is nil; should be of type string")),
        _ => Err(Failure::new(format!(
            "value has type {}; should be string",
            key.type_name()
        ))),
    }
}

fn position(key: &Value, len: usize) -> Outcome<usize> {
    let at = match (key.as_signed(), key.as_unsigned()) {
        (Some(at), _) => at,
        (None, Some(at)) => at.cast_signed(),
        (None, None) if key.is_nil() => {
            return Err(Failure::new("cannot index slice/array with nil"));
        }
        (None, None) => {
            let name = key.type_name();
            return Err(Failure::new(format!(
                "cannot index slice/array with type {name}"
            )));
        }
    };
    usize::try_from(at)
        .ok()
        .filter(|at| *at <= len)
        .ok_or_else(|| Failure::new(format!("index out of range: {at}")))
}

/// Go lets the index equal the length through its own check and then panics in reflection.
fn out_of_range(what: &str, _at: usize, _len: usize) -> Failure {
    Failure::new(format!("reflect: {what} index out of range"))
}

fn escaped(cx: &mut Context<'_>, args: &Args, escape: fn(&[u8]) -> Vec<u8>) -> Outcome<Value> {
    if let (1, Value::Str(text)) = (args.len(), args.value(0)) {
        cx.reserve(text.len().saturating_mul(6))?;
        return Ok(Value::from(escape(text)));
    }
    let shown: Vec<Value> = args
        .rest(0)
        .iter()
        .map(|value| {
            if value.is_nil() {
                Value::from("<no value>")
            } else {
                value.clone()
            }
        })
        .collect();
    let text = print::sprint(&shown, cap(cx))?;
    cx.reserve(text.len().saturating_mul(6))?;
    Ok(Value::from(escape(&text)))
}

fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        let escape: &[u8] = match byte {
            0 => "\u{fffd}".as_bytes(),
            b'"' => b"&#34;",
            b'\'' => b"&#39;",
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            _ => std::slice::from_ref(byte),
        };
        out.extend_from_slice(escape);
    }
    out
}

fn js(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let (rune, width) = lockstep_golang::unicode::decode_rune(rest);
        let escape = match rune {
            '\\' => "\\\\".to_owned(),
            '\'' => "\\'".to_owned(),
            '"' => "\\\"".to_owned(),
            '<' | '>' | '&' | '=' | '\0'..' ' => format!("\\u{first:04X}"),
            _ if rune.is_ascii() || crate::unicode::is_print(rune) => String::new(),
            _ => format!("\\u{:04X}", u32::from(rune)),
        };
        if escape.is_empty() {
            out.extend_from_slice(&rest[..width]);
        } else {
            out.extend_from_slice(escape.as_bytes());
        }
        rest = &rest[width..];
    }
    out
}
