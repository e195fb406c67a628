//! Holds a manifest against the schema of its kind, as an API server does: unknown fields, wrong
//! types, missing fields and words outside an enumeration. Faults name fields, never values. Null
//! counts as absent. Lengths and patterns are left to those who use the values.

use serde_json::{Map, Value};

use super::closest::closest;
use super::lines::join;

/// One fault of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Path of the field.
    pub(crate) field: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) remedy: String,
}

/// A schema with the named parts its references point to.
pub(crate) struct Schema {
    root: Value,
}

impl Schema {
    /// A schema as schemars makes it; references go to its own parts.
    pub(crate) fn new(root: Value) -> Self {
        Self { root }
    }

    /// All faults of a value, in the order of its fields. `path` is where the value stands.
    pub(crate) fn faults(&self, value: &Value, path: &str) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.check(value, &[&self.root], path, &mut faults);
        faults
    }

    fn check<'s>(
        &'s self,
        value: &Value,
        schemas: &[&'s Value],
        path: &str,
        faults: &mut Vec<Fault>,
    ) {
        let mut leaves = Vec::new();
        for schema in schemas {
            self.leaves(schema, &mut leaves);
        }
        if value.is_null() || leaves.is_empty() {
            return;
        }
        if let Some(wanted) = wrong_type(value, &leaves) {
            let message = format!("must be {wanted}, but is {}", name_of(value));
            let remedy = match value {
                // A bare number in quotes would be no duration either.
                Value::Number(_) if path.ends_with("nterval") => {
                    "add a unit, for example 60s or 1h"
                }
                Value::Number(_) | Value::Bool(_) if wanted == "a string" => "put it in quotes",
                _ => "correct the value",
            };
            faults.push(Fault {
                field: path.to_owned(),
                message,
                remedy: remedy.to_owned(),
            });
            return;
        }
        match value {
            Value::Object(fields) => self.check_fields(fields, &leaves, path, faults),
            Value::Array(items) => {
                let below: Vec<&Value> =
                    leaves.iter().filter_map(|leaf| leaf.get("items")).collect();
                for (position, item) in items.iter().enumerate() {
                    self.check(item, &below, &format!("{path}[{position}]"), faults);
                }
            }
            Value::String(word) => faults.extend(outside_enumeration(word, &leaves, path)),
            _ => {}
        }
    }

    fn check_fields<'s>(
        &'s self,
        fields: &Map<String, Value>,
        leaves: &[&'s Value],
        path: &str,
        faults: &mut Vec<Fault>,
    ) {
        let is_open = leaves.iter().any(|leaf| is_open(leaf));
        for (name, value) in fields {
            let mut below = path.to_owned();
            join(&mut below, name);
            let known: Vec<&Value> = leaves
                .iter()
                .filter_map(|leaf| of_field(leaf, name))
                .collect();
            if known.is_empty() && !is_open {
                faults.push(unknown(name, below, leaves));
            } else {
                self.check(value, &known, &below, faults);
            }
        }
        // Which of several alternatives is meant is not known, nor what it requires.
        if let [only] = leaves {
            faults.extend(missing(fields, only, path));
        }
    }

    /// The schemas a schema stands for: references followed, alternatives spread out.
    fn leaves<'s>(&'s self, schema: &'s Value, leaves: &mut Vec<&'s Value>) {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let place = reference.strip_prefix('#').unwrap_or(reference);
            return match self.root.pointer(place) {
                Some(part) => self.leaves(part, leaves),
                None => leaves.push(&Value::Null),
            };
        }
        let mut is_leaf = true;
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for part in schema
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                is_leaf = false;
                self.leaves(part, leaves);
            }
        }
        if is_leaf && schema["type"] != "null" && schema["enum"] != serde_json::json!([null]) {
            leaves.push(schema);
        }
    }
}

/// The schema of a field, named or not.
fn of_field<'s>(leaf: &'s Value, name: &str) -> Option<&'s Value> {
    let named = leaf
        .get("properties")
        .and_then(|properties| properties.get(name));
    named
        .or_else(|| leaf.get("additionalProperties"))
        .filter(|schema| !schema.is_boolean())
}

fn missing<'a>(
    fields: &'a Map<String, Value>,
    leaf: &'a Value,
    path: &'a str,
) -> impl Iterator<Item = Fault> + 'a {
    let required = leaf
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let absent = required.filter_map(Value::as_str);
    let absent = absent.filter(|name| fields.get(*name).is_none_or(Value::is_null));
    absent.map(move |name| {
        let mut field = path.to_owned();
        join(&mut field, name);
        let (message, remedy) = ("is required".to_owned(), "add the field".to_owned());
        Fault {
            field,
            message,
            remedy,
        }
    })
}

/// Whether an object may have fields that are not named.
fn is_open(leaf: &Value) -> bool {
    let additional = leaf.get("additionalProperties");
    leaf["x-kubernetes-preserve-unknown-fields"] == true
        || additional.is_some_and(|schema| *schema != Value::Bool(false))
        || leaf.get("properties").is_none()
}

fn unknown(name: &str, field: String, leaves: &[&Value]) -> Fault {
    let properties = leaves
        .iter()
        .filter_map(|leaf| leaf.get("properties")?.as_object());
    let known: Vec<&str> = properties.flat_map(Map::keys).map(String::as_str).collect();
    let remedy = match closest(name, known.iter().copied()) {
        Some(word) => format!("did you mean {word:?}?"),
        None if known.is_empty() || known.len() > 12 => "remove it".to_owned(),
        None => format!("known here: {}", known.join(", ")),
    };
    Fault {
        field,
        message: "unknown field".to_owned(),
        remedy,
    }
}

/// What the value should be, if it is none of it.
fn wrong_type(value: &Value, leaves: &[&Value]) -> Option<&'static str> {
    let mut wanted = None;
    for leaf in leaves {
        let names: Vec<&str> = match leaf.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => return None,
        };
        for name in names {
            if is_of_type(value, name) {
                return None;
            }
            wanted = wanted.or(phrase(name));
        }
    }
    wanted
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => true,
    }
}

fn phrase(name: &str) -> Option<&'static str> {
    Some(match name {
        "object" => "a mapping",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        _ => return None,
    })
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

fn outside_enumeration(word: &str, leaves: &[&Value], path: &str) -> Option<Fault> {
    let lists = leaves
        .iter()
        .map(|leaf| leaf.get("enum").and_then(Value::as_array));
    let lists: Vec<&Vec<Value>> = lists.collect::<Option<_>>()?;
    let words: Vec<&str> = lists
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if words.contains(&word) {
        return None;
    }
    let remedy = match closest(word, words.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "use one of them".to_owned(),
    };
    let message = format!("must be one of {}", words.join(", "));
    Some(Fault {
        field: path.to_owned(),
        message,
        remedy,
    })
}

#[cfg(test)]
mod tests;
