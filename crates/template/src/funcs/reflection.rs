//! What type a value has, and whether two values are the same all the way down.

use super::{Func, func};
use crate::compare::deep_equal;
use crate::value::{Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    func("typeOf", &[Ty::Any], |_, args| {
        Ok(Value::from(args.value(0).type_name()))
    }),
    func("typeIs", &[Ty::Str, Ty::Any], |_, args| {
        Ok(Value::Bool(
            args.bytes(0) == args.value(1).type_name().as_bytes(),
        ))
    }),
    func("typeIsLike", &[Ty::Str, Ty::Any], |_, args| {
        let name = args.value(1).type_name();
        let pointee = name.strip_prefix('*').unwrap_or(name);
        let target = args.bytes(0);
        Ok(Value::Bool(
            target == name.as_bytes() || target == pointee.as_bytes(),
        ))
    }),
    func("kindOf", &[Ty::Any], |_, args| {
        Ok(Value::from(args.value(0).kind().name()))
    }),
    func("kindIs", &[Ty::Str, Ty::Any], |_, args| {
        Ok(Value::Bool(
            args.bytes(0) == args.value(1).kind().name().as_bytes(),
        ))
    }),
    func("deepEqual", &[Ty::Any, Ty::Any], |cx, args| {
        Ok(Value::Bool(deep_equal(
            args.value(0),
            args.value(1),
            &mut cx.meter,
        )?))
    }),
];
