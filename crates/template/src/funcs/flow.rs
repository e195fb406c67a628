//! Defaults, choices and deliberate failure.

use super::{Func, func, variadic};
use crate::failure::Failure;
use crate::value::{Object, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    variadic("default", &[Ty::Any, Ty::Any], |_, args| {
        let given = args.rest(1).first().is_some_and(|given| !is_empty(given));
        Ok(args.take(usize::from(given)))
    }),
    func("empty", &[Ty::Any], |_, args| {
        Ok(Value::Bool(is_empty(args.value(0))))
    }),
    variadic("coalesce", &[Ty::Any], |_, args| {
        let found = args.rest(0).iter().find(|value| !is_empty(value));
        Ok(found.cloned().unwrap_or_default())
    }),
    variadic("all", &[Ty::Any], |_, args| {
        Ok(Value::Bool(!args.rest(0).iter().any(is_empty)))
    }),
    variadic("any", &[Ty::Any], |_, args| {
        Ok(Value::Bool(
            args.rest(0).iter().any(|value| !is_empty(value)),
        ))
    }),
    func("ternary", &[Ty::Any, Ty::Any, Ty::Bool], |_, args| {
        let at = usize::from(!args.bool(2));
        Ok(args.take(at))
    }),
    // The author wrote the message to be seen, but may have put data into it.
    func("fail", &[Ty::Str], |_, args| {
        Err(Failure::of_value(String::from_utf8_lossy(args.bytes(0))))
    }),
    func("hello", &[], |_, _| Ok(Value::from("Hello!"))),
];

/// Sprig's emptiness: the zero value, nothing inside, or nil.
pub(super) fn is_empty(value: &Value) -> bool {
    match value.as_object() {
        Some(Object::Location(_) | Object::VersionPtr(_)) => false,
        _ => !value.is_true(),
    }
}
