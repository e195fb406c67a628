//! The JSON merge patch that turns one status into another. Members that are gone are nulled: a merge
//! would keep them otherwise.

use serde::Serialize;
use serde_json::{Map, Value};

/// The patch from `old` to `new`.
pub(crate) fn merge_patch<T: Serialize>(old: Option<&T>, new: &T) -> Value {
    let json = |status: Option<&T>| {
        let value = status.and_then(|status| serde_json::to_value(status).ok());
        value.unwrap_or_else(|| Value::Object(Map::new()))
    };
    difference(&json(old), json(Some(new)))
}

fn difference(old: &Value, new: Value) -> Value {
    let (before, after) = match (old.as_object(), new) {
        (Some(before), Value::Object(after)) => (before, after),
        (_, new) => return new,
    };
    let mut patch = Map::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in after {
        let value = match before.get(&key) {
            Some(known) if known.is_object() && value.is_object() => difference(known, value),
            _ => value,
        };
        patch.insert(key, value);
    }
    Value::Object(patch)
}
