//! The modifiers that rearrange objects and arrays.
//!
//! Each returns nothing where it does not apply, which leaves the JSON as it is.

use std::collections::BTreeMap;

use super::trim_space;
use crate::gjson::Hit;
use crate::gjson::budget::Budget;
use crate::gjson::query::trim;
use crate::gjson::token::{for_each, parse};

/// What a list of hits takes for each of them.
const HIT_BYTES: usize = 2 * size_of::<Hit<'_>>();

/// Reverses the elements of an array or the members of an object.
pub(super) fn reverse(json: &[u8], budget: &Budget) -> Option<Vec<u8>> {
    let hit = parse(json).filter(|hit| hit.is_array() || hit.is_object())?;
    let mut parts = Vec::new();
    for_each(&hit, |key, value| {
        if budget.make(HIT_BYTES) {
            parts.push((key, value));
        }
    });
    let mut out = vec![hit.raw[0]];
    for (key, value) in parts.iter().rev() {
        separate(&mut out);
        if let Some(key) = key {
            out.extend_from_slice(&key.raw);
            out.push(b':');
        }
        out.extend_from_slice(&value.raw);
    }
    out.push(if hit.is_array() { b']' } else { b'}' });
    Some(out)
}

/// Puts the elements of inner arrays into the outer one, at one level or at all.
pub(super) fn flatten(json: &[u8], deep: bool, budget: &Budget) -> Option<Vec<u8>> {
    let hit = parse(json).filter(Hit::is_array)?;
    // Every level is read and copied once more.
    if !budget.spend(json.len()) {
        return None;
    }
    let mut out = vec![b'['];
    for_each(&hit, |_, value| {
        let raw: &[u8] = &value.raw;
        let inner = if value.is_array() && deep {
            budget.nested(|| flatten(raw, deep, budget)).flatten()
        } else {
            None
        };
        let flat = match &inner {
            Some(inner) => unwrap(inner),
            None if value.is_array() => unwrap(raw),
            None => raw,
        };
        let flat = trim_space(flat);
        if !flat.is_empty() {
            separate(&mut out);
            out.extend_from_slice(flat);
        }
    });
    out.push(b']');
    Some(out)
}

/// Makes one object of an array of objects; `preserve` keeps duplicate keys.
pub(super) fn join(json: &[u8], preserve: bool, budget: &Budget) -> Option<Vec<u8>> {
    let hit = parse(json).filter(Hit::is_array)?;
    let mut objects = Vec::new();
    for_each(&hit, |_, value| {
        if value.is_object() && budget.make(HIT_BYTES) {
            objects.push(value);
        }
    });
    let mut out = vec![b'{'];
    if preserve {
        for (index, object) in objects.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(unwrap(&object.raw));
        }
    } else {
        join_distinct(&objects, &mut out, budget);
    }
    out.push(b'}');
    Some(out)
}

/// Keys keep the place of their first occurrence and the value of their last.
fn join_distinct(objects: &[Hit<'_>], out: &mut Vec<u8>, budget: &Budget) {
    let mut places = BTreeMap::new();
    let mut members: Vec<(Hit<'_>, Hit<'_>)> = Vec::new();
    for object in objects {
        for_each(object, |key, value| {
            let Some(key) = key.filter(|key| budget.make(2 * HIT_BYTES + key.text.len())) else {
                return;
            };
            let place = *places.entry(key.text.to_vec()).or_insert(members.len());
            match members.get_mut(place) {
                Some(member) => member.1 = value,
                None => members.push((key, value)),
            }
        });
    }
    for (key, value) in members {
        separate(out);
        out.extend_from_slice(&key.raw);
        out.push(b':');
        out.extend_from_slice(&value.raw);
    }
}

/// The keys of an object; one `null` for each value of anything else.
pub(super) fn keys(json: &[u8]) -> Vec<u8> {
    let mut out = vec![b'['];
    if let Some(hit) = parse(json) {
        for_each(&hit, |key, _| {
            separate(&mut out);
            out.extend_from_slice(key.as_ref().map_or(b"null", |key| &key.raw));
        });
    }
    out.push(b']');
    out
}

/// The values of an object; an array stays as it is.
pub(super) fn values(json: &[u8]) -> Option<Vec<u8>> {
    let hit = parse(json);
    if hit.as_ref().is_some_and(Hit::is_array) {
        return None;
    }
    let mut out = vec![b'['];
    if let Some(hit) = hit {
        for_each(&hit, |_, value| {
            separate(&mut out);
            out.extend_from_slice(&value.raw);
        });
    }
    out.push(b']');
    Some(out)
}

/// Turns an object of arrays into an array of objects; anything else becomes nothing.
pub(super) fn group(json: &[u8], budget: &Budget) -> Vec<u8> {
    let Some(hit) = parse(json).filter(Hit::is_object) else {
        return Vec::new();
    };
    let mut rows: Vec<Vec<u8>> = Vec::new();
    for_each(&hit, |key, list| {
        let Some(key) = key.filter(|_| list.is_array()) else {
            return;
        };
        let mut index = 0;
        for_each(&list, |_, value| {
            if !budget.make(key.raw.len() + value.raw.len() + 8) {
                return;
            }
            if index == rows.len() {
                if !budget.make(size_of::<Vec<u8>>() + 8) {
                    return;
                }
                rows.push(vec![b'{']);
            }
            separate(&mut rows[index]);
            rows[index].extend_from_slice(&key.raw);
            rows[index].push(b':');
            rows[index].extend_from_slice(&value.raw);
            index += 1;
        });
    });
    let mut out = vec![b'['];
    for row in rows {
        separate(&mut out);
        out.extend_from_slice(&row);
        out.push(b'}');
    }
    out.push(b']');
    out
}

/// Adds a comma unless nothing but the opening bracket is there.
fn separate(out: &mut Vec<u8>) {
    if out.len() > 1 {
        out.push(b',');
    }
}

/// The inside of a container.
fn unwrap(json: &[u8]) -> &[u8] {
    match trim(json) {
        [b'[' | b'{', inner @ .., _] => inner,
        text => text,
    }
}
