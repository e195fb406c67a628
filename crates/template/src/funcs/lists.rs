//! Sprig's list functions. Lists are never changed; results are new lists.

use super::{Args, Func, func, variadic};
use crate::cast::to_int64;
use crate::compare::deep_equal;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::value::{Elem, List, Ty, Value};

/// What Go says when a function looks at the type of nil.
pub(super) const NIL_POINTER: &str =
    "runtime error: invalid memory address or nil pointer dereference";

pub(super) const FUNCS: &[Func] = &[
    variadic("list", &[Ty::Any], |cx, args| {
        new(cx, args.rest(0).to_vec())
    }),
    variadic("tuple", &[Ty::Any], |cx, args| {
        new(cx, args.rest(0).to_vec())
    }),
    func("append", &[Ty::Any, Ty::Any], append),
    func("push", &[Ty::Any, Ty::Any], append),
    func("mustAppend", &[Ty::Any, Ty::Any], append),
    func("mustPush", &[Ty::Any, Ty::Any], append),
    func("prepend", &[Ty::Any, Ty::Any], prepend),
    func("mustPrepend", &[Ty::Any, Ty::Any], prepend),
    func("first", &[Ty::Any], |_, args| {
        Ok(elements(args, "find first")?.get(0).unwrap_or_default())
    }),
    func("mustFirst", &[Ty::Any], |_, args| {
        Ok(elements(args, "find first")?.get(0).unwrap_or_default())
    }),
    func("last", &[Ty::Any], last),
    func("mustLast", &[Ty::Any], last),
    func("rest", &[Ty::Any], rest),
    func("mustRest", &[Ty::Any], rest),
    func("initial", &[Ty::Any], initial),
    func("mustInitial", &[Ty::Any], initial),
    func("reverse", &[Ty::Any], reverse),
    func("mustReverse", &[Ty::Any], reverse),
    func("compact", &[Ty::Any], compact),
    func("mustCompact", &[Ty::Any], compact),
    func("uniq", &[Ty::Any], uniq),
    func("mustUniq", &[Ty::Any], uniq),
    variadic("without", &[Ty::Any, Ty::Any], without),
    variadic("mustWithout", &[Ty::Any, Ty::Any], without),
    func("has", &[Ty::Any, Ty::Any], has),
    func("mustHas", &[Ty::Any, Ty::Any], has),
    variadic("slice", &[Ty::Any, Ty::Any], slice),
    variadic("mustSlice", &[Ty::Any, Ty::Any], slice),
    variadic("concat", &[Ty::Any], concat),
    func("chunk", &[Ty::Int, Ty::Any], chunk),
    func("mustChunk", &[Ty::Int, Ty::Any], chunk),
];

fn new(cx: &mut Context<'_>, items: Vec<Value>) -> Outcome<Value> {
    cx.meter.charge_items(items.len())?;
    Ok(Value::List(List::any(items)))
}

/// The nil slice, which upstream returns for parts of an empty list.
fn nothing() -> Value {
    Value::List(List::nil(Elem::Any))
}

fn list_of<'a>(value: &'a Value, deed: &str) -> Outcome<&'a List> {
    match value {
        Value::List(list) => Ok(list),
        Value::Nil => Err(Failure::new(NIL_POINTER)),
        _ => Err(Failure::new(format!(
            "Cannot {deed} on type {}",
            value.kind().name()
        ))),
    }
}

fn elements<'a>(args: &'a Args, deed: &str) -> Outcome<&'a List> {
    list_of(args.value(0), deed)
}

fn append(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = elements(args, "push")?.to_vec();
    items.push(args.take(1));
    new(cx, items)
}

fn prepend(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = elements(args, "prepend")?.to_vec();
    items.insert(0, args.take(1));
    new(cx, items)
}

fn last(_: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let list = elements(args, "find last")?;
    Ok(list
        .len()
        .checked_sub(1)
        .and_then(|at| list.get(at))
        .unwrap_or_default())
}

fn rest(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = elements(args, "find rest")?.to_vec();
    if items.is_empty() {
        return Ok(nothing());
    }
    items.remove(0);
    new(cx, items)
}

fn initial(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = elements(args, "find initial")?.to_vec();
    if items.pop().is_none() {
        return Ok(nothing());
    }
    new(cx, items)
}

fn reverse(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = elements(args, "find reverse")?.to_vec();
    items.reverse();
    new(cx, items)
}

fn compact(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = elements(args, "compact")?.to_vec();
    items.retain(|item| !super::flow::is_empty(item));
    new(cx, items)
}

fn contains(cx: &mut Context<'_>, items: &[Value], wanted: &Value) -> Outcome<bool> {
    for item in items {
        if deep_equal(wanted, item, &mut cx.meter)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn uniq(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in elements(args, "find uniq")?.to_vec() {
        if !contains(cx, &kept, &item)? {
            kept.push(item);
        }
    }
    new(cx, kept)
}

fn without(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut kept = Vec::new();
    for item in elements(args, "find without")?.to_vec() {
        if !contains(cx, args.rest(1), &item)? {
            kept.push(item);
        }
    }
    new(cx, kept)
}

fn has(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    if args.is_nil(1) {
        return Ok(Value::Bool(false));
    }
    let items = list_of(args.value(1), "find has")?.to_vec();
    contains(cx, &items, args.value(0)).map(Value::Bool)
}

fn slice(_: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let list = match args.value(0) {
        Value::List(list) => list,
        Value::Nil => return Err(Failure::new(NIL_POINTER)),
        other => {
            let kind = other.kind().name();
            return Err(Failure::new(format!(
                "list should be type of slice or array but {kind}"
            )));
        }
    };
    if list.is_empty() {
        return Ok(Value::Nil);
    }
    let bounds = args.rest(1);
    let at = |position: usize, default: usize| match bounds.get(position) {
        None => Some(default),
        Some(bound) => usize::try_from(to_int64(bound)).ok(),
    };
    match (at(0, 0), at(1, list.len())) {
        (Some(from), Some(to)) => list.window(from, to).map(Value::List),
        _ => None,
    }
    .ok_or_else(|| Failure::new("reflect.Value.Slice: slice index out of bounds"))
}

fn concat(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut items = Vec::new();
    for value in args.rest(0) {
        match value {
            Value::List(list) => {
                cx.meter.charge_items(list.len())?;
                items.extend(list.to_vec());
            }
            Value::Nil => return Err(Failure::new(NIL_POINTER)),
            other => {
                let kind = other.kind().name();
                return Err(Failure::new(format!("Cannot concat type {kind} as list")));
            }
        }
    }
    if items.is_empty() {
        return Ok(nothing());
    }
    Ok(Value::List(List::any(items)))
}

fn chunk(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let list = match args.value(1) {
        Value::List(list) => list,
        Value::Nil => return Err(Failure::new(NIL_POINTER)),
        other => {
            return Err(Failure::new(format!(
                "Cannot chunk type {}",
                other.kind().name()
            )));
        }
    };
    // A size far below zero asks for no chunks at all, which is granted.
    let none = i64::try_from(list.len()).is_ok_and(|len| len > 1 && args.int(0) <= 1 - len);
    if none {
        return Ok(Value::List(List::of(Elem::List, Vec::new())));
    }
    // A single element is one chunk, whatever the size below -1.
    let size = match (list.len(), args.int(0)) {
        (1, ..-1) => Some(1),
        (_, size) => usize::try_from(size).ok().filter(|size| *size > 0),
    };
    let size = size.ok_or_else(|| Failure::new("runtime error: makeslice: len out of range"))?;
    cx.meter.charge_items(list.len().saturating_mul(2))?;
    let chunks = list
        .to_vec()
        .chunks(size)
        .map(|part| Value::List(List::any(part.to_vec())))
        .collect();
    Ok(Value::List(List::of(Elem::List, chunks)))
}
