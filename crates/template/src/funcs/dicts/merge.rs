//! `merge` and `mergeOverwrite`, as `mergo` 1.0 does it for generic maps.
//!
//! Without overwriting, a value that is empty counts as absent. Nested maps are merged in place;
//! what is taken over is shared, not copied.

use super::{Args, Context, map, put};
use crate::failure::Outcome;
use crate::funcs::flow::is_empty;
use crate::limits::{Exceeded, MAX_NESTING};
use crate::value::{Map, MapKind, Value};

/// Merges all further maps into the first.
pub(super) fn all(cx: &mut Context<'_>, args: &Args, overwrite: bool) -> Outcome<Value> {
    let mut target = map(args, 0);
    for at in 1..args.len() {
        let source = map(args, at);
        if target.is_nil() && !source.is_nil() {
            target = Map::new(std::collections::BTreeMap::new());
        }
        merge(cx, &target, &source, overwrite, 0)?;
    }
    Ok(Value::Map(target))
}

fn merge(
    cx: &mut Context<'_>,
    target: &Map,
    source: &Map,
    overwrite: bool,
    depth: usize,
) -> Outcome<()> {
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
        let both = match (&present, &value) {
            (Some(Value::Map(inner)), Value::Map(more)) => Some((inner, more)),
            _ => None,
        };
        if let Some((inner, more)) = both {
            // A map merged into itself stays as it is.
            if !inner.is_same(more) {
                merge(cx, inner, more, overwrite, depth + 1)?;
            }
        } else if let (Some(Value::Map(inner)), Value::StrMap(more)) = (&present, &value)
            && inner.kind() == MapKind::Any
        {
            for (key, text) in more.iter() {
                if overwrite || inner.get(key).is_none_or(|old| is_empty(&old)) {
                    put(cx, inner, key.clone(), Value::Str(text.clone()))?;
                }
            }
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
    Ok(())
}
