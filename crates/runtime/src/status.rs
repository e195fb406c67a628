//! Which part of a status has to be written. Pure: compares two JSON values, leaves out what is
//! equal, and says nothing when only the given times differ.

use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// The JSON merge patch that turns `old` into `new`; `None` when nothing differs but what lies at
/// the `ignored` paths, such as `/refreshTime` or `/conditions/*/lastTransitionTime`. A patch that
/// is needed carries ignored paths too, as `new` has them.
pub fn patch(old: &Value, new: &Value, ignored: &[&str]) -> Option<Value> {
    if same(old, new, &paths(ignored)) {
        return None;
    }
    Some(merge_patch(old, new))
}

/// Whether two values differ outside the `ignored` paths.
pub fn differs(old: &Value, new: &Value, ignored: &[&str]) -> bool {
    !same(old, new, &paths(ignored))
}

fn paths<'a>(ignored: &[&'a str]) -> Vec<Vec<&'a str>> {
    let split = |path: &&'a str| path.trim_start_matches('/').split('/').collect();
    ignored.iter().map(split).collect()
}

/// The paths that go on below `step`.
fn below<'a>(ignored: &[Vec<&'a str>], step: &str) -> Vec<Vec<&'a str>> {
    let matching = ignored.iter().filter_map(|path| path.split_first());
    matching
        .filter(|(first, _)| **first == "*" || **first == step)
        .map(|(_, rest)| rest.to_vec())
        .collect()
}

fn same(old: &Value, new: &Value, ignored: &[Vec<&str>]) -> bool {
    if ignored.iter().any(Vec::is_empty) {
        return true;
    }
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys());
            keys.into_iter().all(|key| {
                let old = old.get(key).unwrap_or(&Value::Null);
                let new = new.get(key).unwrap_or(&Value::Null);
                same(old, new, &below(ignored, key))
            })
        }
        (Value::Array(old), Value::Array(new)) => {
            let elements = old.iter().zip(new).enumerate();
            old.len() == new.len()
                && elements
                    .into_iter()
                    .all(|(place, (old, new))| same(old, new, &below(ignored, &place.to_string())))
        }
        _ => old == new,
    }
}

fn merge_patch(old: &Value, new: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return new.clone();
    };
    let mut patch = Map::new();
    for (key, value) in new {
        match old.get(key) {
            Some(known) if known == value => {}
            Some(known @ Value::Object(_)) if value.is_object() => {
                patch.insert(key.clone(), merge_patch(known, value));
            }
            _ => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    Value::Object(patch)
}
