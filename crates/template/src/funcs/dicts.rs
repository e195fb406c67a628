//! Sprig's functions on `map[string]interface {}`.
//!
//! Maps are shared: `set`, `unset` and the merges change them in place, and every alias sees it.
//! A map may not be put into itself, however indirectly; Go allows that and then never ends.

mod merge;

use std::collections::BTreeMap;

use super::{Args, Func, func, variadic};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::limits::{Exceeded, MAX_NESTING, Meter};
use crate::semver::Version;
use crate::value::{List, Map, MapKind, Object, Str, Ty, Value};

pub(super) const FUNCS: &[Func] = &[
    variadic("dict", &[Ty::Any], dict),
    func("get", &[Ty::MapAny, Ty::Str], |_, args| {
        Ok(map(args, 0)
            .get(args.bytes(1))
            .unwrap_or_else(|| Value::from("")))
    }),
    func("set", &[Ty::MapAny, Ty::Str, Ty::Any], |cx, args| {
        let (key, value) = (args.text(1), args.take(2));
        put(cx, &map(args, 0), key, value)?;
        Ok(args.take(0))
    }),
    func("unset", &[Ty::MapAny, Ty::Str], |_, args| {
        map(args, 0).remove(args.bytes(1));
        Ok(args.take(0))
    }),
    func("hasKey", &[Ty::MapAny, Ty::Str], |_, args| {
        Ok(Value::Bool(map(args, 0).contains(args.bytes(1))))
    }),
    variadic("pluck", &[Ty::Str, Ty::MapAny], |cx, args| {
        let maps = 1..args.len();
        let found: Vec<_> = maps
            .filter_map(|at| map(args, at).get(args.bytes(0)))
            .collect();
        cx.meter.charge_items(found.len())?;
        Ok(Value::List(List::any(found)))
    }),
    variadic("keys", &[Ty::MapAny], |cx, args| {
        let keys: Vec<Str> = (0..args.len())
            .flat_map(|at| map(args, at).keys())
            .collect();
        cx.meter.charge_items(keys.len())?;
        Ok(Value::List(List::strings(keys)))
    }),
    func("values", &[Ty::MapAny], |cx, args| {
        let values: Vec<_> = map(args, 0)
            .entries()
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        cx.meter.charge_items(values.len())?;
        Ok(Value::List(List::any(values)))
    }),
    variadic("pick", &[Ty::MapAny, Ty::Str], |cx, args| {
        let from = map(args, 0);
        let entry = |at| from.get(args.bytes(at)).map(|value| (args.text(at), value));
        let kept: BTreeMap<_, _> = (1..args.len()).filter_map(entry).collect();
        new(cx, kept)
    }),
    variadic("omit", &[Ty::MapAny, Ty::Str], |cx, args| {
        let mut kept: BTreeMap<_, _> = map(args, 0).entries().into_iter().collect();
        for at in 1..args.len() {
            kept.remove(args.bytes(at));
        }
        new(cx, kept)
    }),
    variadic("merge", &[Ty::MapAny, Ty::MapAny], |cx, args| {
        merge::all(cx, args, mode(false, false))
    }),
    variadic("mustMerge", &[Ty::MapAny, Ty::MapAny], |cx, args| {
        merge::all(cx, args, mode(false, true))
    }),
    variadic("mergeOverwrite", &[Ty::MapAny, Ty::MapAny], |cx, args| {
        merge::all(cx, args, mode(true, false))
    }),
    variadic(
        "mustMergeOverwrite",
        &[Ty::MapAny, Ty::MapAny],
        |cx, args| merge::all(cx, args, mode(true, true)),
    ),
    func("deepCopy", &[Ty::Any], deep_copy),
    func("mustDeepCopy", &[Ty::Any], deep_copy),
    variadic("dig", &[Ty::Any], |_, args| dig(args)),
];

const fn mode(overwrite: bool, must: bool) -> merge::Mode {
    merge::Mode { overwrite, must }
}

fn new(cx: &mut Context<'_>, entries: BTreeMap<Str, Value>) -> Outcome<Value> {
    cx.meter.charge_items(entries.len().saturating_mul(2))?;
    Ok(Value::Map(Map::new(entries)))
}

/// A map parameter.
fn map(args: &Args, at: usize) -> Map {
    match args.value(at) {
        Value::Map(map) => map.clone(),
        _ => Map::nil(),
    }
}

/// Writes an entry, unless that would put the map into itself.
fn put(cx: &mut Context<'_>, target: &Map, key: Str, value: Value) -> Outcome<()> {
    if target.is_nil() {
        return Err(Failure::new("assignment to entry in nil map"));
    }
    if reaches(&mut cx.meter, &value, target)? {
        return Err(Failure::new("a dict cannot be put into itself"));
    }
    cx.meter.charge(key.len() + 2 * size_of::<Value>())?;
    target.insert(key, value);
    Ok(())
}

/// Whether `target` is found anywhere in `value`.
fn reaches(meter: &mut Meter, value: &Value, target: &Map) -> Result<bool, Exceeded> {
    let mut pending = match value {
        Value::Map(_) | Value::List(_) => vec![value.clone()],
        _ => return Ok(false),
    };
    while let Some(value) = pending.pop() {
        meter.step(1)?;
        match value {
            Value::Map(map) if map.is_same(target) => return Ok(true),
            Value::Map(map) => pending.extend(map.entries().into_iter().map(|(_, value)| value)),
            Value::List(list) => pending.extend(list.to_vec()),
            _ => {}
        }
    }
    Ok(false)
}

fn dict(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    let mut entries = BTreeMap::new();
    for at in (0..args.len()).step_by(2) {
        let key = super::strings::string_of(cx, args.value(at))?;
        let value = if at + 1 < args.len() {
            args.take(at + 1)
        } else {
            Value::from("")
        };
        entries.insert(key, value);
    }
    new(cx, entries)
}

fn deep_copy(cx: &mut Context<'_>, args: &mut Args) -> Outcome<Value> {
    if args.is_nil(0) {
        return Err(Failure::new(
            "reflect: call of reflect.Value.Type on zero Value",
        ));
    }
    Ok(copy(&mut cx.meter, args.value(0), 0)?)
}

fn copy(meter: &mut Meter, value: &Value, depth: usize) -> Result<Value, Exceeded> {
    if depth > MAX_NESTING {
        return Err(Exceeded::Nesting);
    }
    meter.step(1)?;
    Ok(match value {
        Value::List(list) if list.is_nil() => value.clone(),
        Value::List(list) => {
            meter.charge_items(list.len())?;
            if let Some(strings) = list.as_strings() {
                return Ok(Value::List(List::strings(strings)));
            }
            let items = list.to_vec();
            let items: Result<_, _> = items
                .iter()
                .map(|item| copy(meter, item, depth + 1))
                .collect();
            Value::List(List::of(list.elem(), items?))
        }
        Value::Map(map) if map.kind() == MapKind::Any && !map.is_nil() => {
            let mut entries = BTreeMap::new();
            for (key, value) in map.entries() {
                meter.charge(key.len() + 2 * size_of::<Value>())?;
                entries.insert(key, copy(meter, &value, depth + 1)?);
            }
            Value::Map(Map::new(entries))
        }
        _ => match value.as_object() {
            // Upstream's copier cannot see the private fields of a version.
            Some(Object::VersionPtr(_)) => Value::object(Object::VersionPtr(Version::default())),
            Some(Object::Version(_)) => Value::object(Object::Version(Version::default())),
            _ => value.clone(),
        },
    })
}

fn conversion(found: &Value, wanted: &str) -> Failure {
    let found = if found.is_nil() {
        "nil"
    } else {
        found.type_name()
    };
    Failure::new(format!(
        "interface conversion: interface {{}} is {found}, not {wanted}"
    ))
}

/// `dig "key" "key" default dict`
fn dig(args: &mut Args) -> Outcome<Value> {
    if args.len() < 3 {
        return Err(Failure::new("dig needs at least three arguments"));
    }
    let keys = args.len() - 2;
    let mut current = args.take(keys + 1);
    as_map(&current)?;
    if let Some(bad) = args
        .rest(0)
        .iter()
        .take(keys)
        .find(|key| !matches!(key, Value::Str(_)))
    {
        return Err(conversion(bad, "string"));
    }
    for at in 0..keys {
        match as_map(&current)?.get(args.bytes(at)) {
            Some(value) => current = value,
            None => return Ok(args.take(keys)),
        }
    }
    Ok(current)
}

fn as_map(value: &Value) -> Outcome<&Map> {
    match value {
        Value::Map(map) if map.kind() == MapKind::Any => Ok(map),
        _ => Err(conversion(value, "map[string]interface {}")),
    }
}
