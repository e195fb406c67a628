//! Turns a schema as schemars makes it into the form upstream's CRDs have.
//!
//! Absent and null are the same to a CRD, defaults are written only where they are meant, and all
//! references are resolved. Two keywords of our own say what schemars cannot: `x-default` for a
//! default that is empty (`""`, `false`, `0`), `x-nullable` for a field that may be null.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Keywords that a CRD does not take, or that say nothing there.
const DROPPED: &[&str] = &[
    "$schema",
    "$defs",
    "definitions",
    "components",
    "title",
    "nullable",
    "example",
    "examples",
    "unevaluatedProperties",
];

/// The schema in the form of a CRD.
pub(super) fn schema(mut root: Value) -> Value {
    let definitions = definitions(&root);
    clean(&mut root, &definitions);
    root
}

/// Named schemas that references may point to, by the last step of the reference.
fn definitions(root: &Value) -> BTreeMap<String, Value> {
    let places = ["/$defs", "/definitions", "/components/schemas"];
    let maps = places
        .iter()
        .filter_map(|place| root.pointer(place)?.as_object());
    maps.flatten()
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect()
}

fn clean(schema: &mut Value, definitions: &BTreeMap<String, Value>) {
    if schema.as_bool() == Some(true) {
        *schema = Value::Object(Map::new());
    }
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    resolve(keywords, definitions);
    unwrap_alternatives(keywords);
    join_words(keywords);
    for keyword in DROPPED {
        keywords.remove(*keyword);
    }
    clean_types(keywords);
    clean_default(keywords);
    if let Some(nullable) = keywords.remove("x-nullable") {
        keywords.insert("nullable".to_owned(), nullable);
    }
    if keywords.get("additionalProperties") == Some(&Value::Bool(false)) {
        keywords.remove("additionalProperties");
    }
    sort_required(keywords);
    allow_anything(keywords);
    if let Some(Value::Object(fields)) = keywords.get_mut("properties") {
        fields
            .values_mut()
            .for_each(|field| clean(field, definitions));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(below) = keywords.get_mut(keyword) {
            clean(below, definitions);
        }
    }
}

/// Puts the named schema in the place of a reference; what stands beside the reference wins.
fn resolve(keywords: &mut Map<String, Value>, definitions: &BTreeMap<String, Value>) {
    while let Some(Value::String(reference)) = keywords.remove("$ref") {
        let name = reference.rsplit('/').next().unwrap_or_default();
        merge(keywords, definitions.get(name));
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(alternatives)) = keywords.get_mut(keyword) else {
            continue;
        };
        for alternative in alternatives.iter_mut().filter_map(Value::as_object_mut) {
            resolve(alternative, definitions);
        }
    }
}

/// Takes over what is not said yet.
fn merge(keywords: &mut Map<String, Value>, other: Option<&Value>) {
    for (keyword, value) in other.and_then(Value::as_object).into_iter().flatten() {
        if !keywords.contains_key(keyword) {
            keywords.insert(keyword.clone(), value.clone());
        }
    }
}

/// `anyOf` a schema and null, or `allOf` one schema, is that schema.
fn unwrap_alternatives(keywords: &mut Map<String, Value>) {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(alternatives)) = keywords.get(keyword) else {
            continue;
        };
        let is_null = |schema: &&Value| {
            schema["type"] == "null" || schema["enum"] == serde_json::json!([null])
        };
        let rest: Vec<_> = alternatives
            .iter()
            .filter(|schema| !is_null(schema))
            .cloned()
            .collect();
        if let [only] = rest.as_slice() {
            keywords.remove(keyword);
            merge(keywords, Some(only));
        }
    }
}

/// An enumeration whose words are described one by one becomes one list of words.
fn join_words(keywords: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = keywords.get("oneOf") else {
        return;
    };
    let words = alternatives
        .iter()
        .map(|schema| match (&schema["const"], &schema["enum"]) {
            (word @ Value::String(_), _) => Some(vec![word.clone()]),
            (_, Value::Array(words)) => Some(words.clone()),
            _ => None,
        });
    if let Some(words) = words.collect::<Option<Vec<_>>>() {
        keywords.remove("oneOf");
        keywords.insert("type".to_owned(), "string".into());
        keywords.insert("enum".to_owned(), words.concat().into());
    }
}

/// One type, no null among the words, and only the integer formats that Kubernetes knows.
fn clean_types(keywords: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = keywords.get("type") {
        let rest: Vec<_> = types
            .iter()
            .filter(|name| *name != "null")
            .cloned()
            .collect();
        if let [only] = rest.as_slice() {
            keywords.insert("type".to_owned(), only.clone());
        }
    }
    if let Some(Value::Array(words)) = keywords.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    let unsigned = keywords.get("format").and_then(Value::as_str);
    if unsigned.is_some_and(|format| format.starts_with("uint")) {
        keywords.remove("format");
        keywords.remove("minimum");
    }
}

/// Empty defaults come from Rust and mean "absent"; a default that is meant says something.
fn clean_default(keywords: &mut Map<String, Value>) {
    let empty = match keywords.get("default") {
        Some(Value::Null | Value::Bool(false)) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Number(number)) => number.as_f64() == Some(0.0),
        _ => false,
    };
    if empty {
        keywords.remove("default");
    }
    if let Some(default) = keywords.remove("x-default") {
        keywords.insert("default".to_owned(), default);
    }
}

fn sort_required(keywords: &mut Map<String, Value>) {
    let Some(Value::Array(fields)) = keywords.get_mut("required") else {
        return;
    };
    fields.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    if fields.is_empty() {
        keywords.remove("required");
    }
}

/// A schema that says nothing about its type takes any JSON.
fn allow_anything(keywords: &mut Map<String, Value>) {
    const SHAPES: &[&str] = &[
        "type",
        "x-kubernetes-int-or-string",
        "anyOf",
        "oneOf",
        "allOf",
    ];
    if !SHAPES.iter().any(|keyword| keywords.contains_key(*keyword)) {
        keywords.insert(
            "x-kubernetes-preserve-unknown-fields".to_owned(),
            true.into(),
        );
    }
}

#[cfg(test)]
mod tests;
