//! `merge` and `mergeOverwrite`, as `mergo` 1.0 does it for generic maps.
//!
//! Without overwriting, a value that is empty counts as absent. Nested maps are merged in place;
//! what is taken over is shared, not copied. A `map[string]string` is not changed in place: the
//! entry that holds it gets a new one.

use super::{Args, Context, map, put};
use crate::failure::{Failure, Outcome};
use crate::funcs::flow::is_empty;
use crate::limits::{Exceeded, MAX_NESTING};
use crate::value::{Map, MapKind, Object, StrMap, Value};

/// Which of the four functions is called.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    pub(super) overwrite: bool,
    /// Fail where the others return the empty text.
    pub(super) must: bool,
}

/// Whether a merge came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merged {
    Whole,
    /// A pointer met a value of another type.
    Mismatch,
}

/// Merges all further maps into the first.
pub(super) fn all(cx: &mut Context<'_>, args: &Args, mode: Mode) -> Outcome<Value> {
    let mut target = map(args, 0);
    for at in 1..args.len() {
        let source = map(args, at);
        if target.is_nil() && !source.is_nil() {
            target = Map::new(std::collections::BTreeMap::new());
        }
        if merge(cx, &target, &source, mode.overwrite, 0)? == Merged::Mismatch {
            return if mode.must {
                Err(Failure::new("src and dst must be of same type"))
            } else {
                Ok(Value::from(""))
            };
        }
    }
    Ok(Value::Map(target))
}

fn merge(
    cx: &mut Context<'_>,
    target: &Map,
    source: &Map,
    overwrite: bool,
    depth: usize,
) -> Outcome<Merged> {
    if depth > MAX_NESTING {
        return Err(Exceeded::Nesting.into());
    }
    for (key, value) in source.entries() {
        cx.meter.step(1)?;
        if value.is_nil() {
            if overwrite {
                put(cx, target, key, value)?;
            }
            continue;
        }
        let present = target.get(&key);
        match (&present, &value) {
            (Some(Value::Map(inner)), Value::Map(more)) => {
                // A map merged into itself stays as it is.
                let merged = if inner.is_same(more) {
                    Merged::Whole
                } else {
                    merge(cx, inner, more, overwrite, depth + 1)?
                };
                if merged == Merged::Mismatch {
                    return Ok(Merged::Mismatch);
                }
            }
            (Some(Value::Map(inner)), Value::StrMap(more)) if inner.kind() == MapKind::Any => {
                for (key, text) in more.iter() {
                    if overwrite || inner.get(key).is_none_or(|old| is_empty(&old)) {
                        put(cx, inner, key.clone(), Value::Str(text.clone()))?;
                    }
                }
            }
            (Some(Value::StrMap(inner)), Value::Map(more)) => refuse(inner, more, overwrite)?,
            (Some(Value::StrMap(inner)), Value::StrMap(more)) if !inner.is_empty() => {
                let joined = join(inner, more, overwrite);
                cx.meter.charge_items(joined.len().saturating_mul(2))?;
                put(cx, target, key.clone(), Value::StrMap(joined))?;
            }
            (Some(present), value) if !overwrite && clashes(present, value) => {
                return Ok(Merged::Mismatch);
            }
            _ => {}
        }
        let present = present.filter(|present| !is_empty(present));
        let keeps = match (&present, &value) {
            (None, _) => false,
            (Some(Value::Map(_) | Value::StrMap(_)), Value::Map(_) | Value::StrMap(_)) => true,
            (Some(_), _) => !overwrite,
        };
        if !keeps {
            put(cx, target, key, value)?;
        }
    }
    Ok(Merged::Whole)
}

/// A `map[string]string` cannot take any value of a generic map, not even a text.
fn refuse(inner: &StrMap, more: &Map, overwrite: bool) -> Outcome<()> {
    for (key, value) in more.entries() {
        let present = inner.get(&key);
        let writes = overwrite || present.is_none_or(|text| text.is_empty());
        let kind = match (&value, present) {
            (Value::Nil, _) if !overwrite => continue,
            (Value::List(_), Some(_)) => {
                return Err(Failure::new(
                    "reflect: call of reflect.Value.IsNil on string Value",
                ));
            }
            (Value::List(_), None) => value.type_name(),
            _ if writes => "interface {}",
            _ => continue,
        };
        return Err(Failure::new(format!(
            "reflect.Value.SetMapIndex: value of type {kind} is not assignable to type string"
        )));
    }
    Ok(())
}

fn join(inner: &StrMap, more: &StrMap, overwrite: bool) -> StrMap {
    let kept = |key: &[u8]| !overwrite && inner.get(key).is_some_and(|text| !text.is_empty());
    let taken = more.iter().filter(|(key, _)| !kept(key));
    let entries = inner.iter().chain(taken);
    entries
        .map(|(key, text)| (key.clone(), text.clone()))
        .collect()
}

/// Whether a pointer stands where a struct of another type or a map comes.
fn clashes(present: &Value, value: &Value) -> bool {
    match (present.as_object(), value.as_object()) {
        (Some(Object::VersionPtr(_)), Some(Object::Version(_))) => false,
        (
            Some(Object::VersionPtr(_) | Object::Location(_)),
            Some(Object::Time(_) | Object::Version(_) | Object::Certificate(_)),
        ) => true,
        (Some(Object::VersionPtr(_) | Object::Location(_)), None) => {
            matches!(value, Value::Map(_) | Value::StrMap(_))
        }
        _ => false,
    }
}
