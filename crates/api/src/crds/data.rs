//! Upstream's definitions as they are stored: one JSON document a line, repeated schemas once.
//! `{"$part": NAME}` stands for the part of that name. `data/README.md` tells how the files are made.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::CrdError;

const CRDS: &str = include_str!("../../data/crds.jsonl");
const PARTS: &str = include_str!("../../data/parts.jsonl");

/// Schemas by name.
pub(super) type Parts = BTreeMap<String, Value>;

/// Upstream's definitions.
pub(super) struct Upstream {
    /// The specs of the definitions, with references to parts.
    pub(super) crds: Vec<Value>,
    /// Schemas that occur more than once, or that we may replace.
    pub(super) parts: Parts,
}

impl Upstream {
    /// Reads the built-in files.
    pub(super) fn load() -> Result<Self, CrdError> {
        let crds = lines("data/crds.jsonl", CRDS)?;
        let mut parts = Parts::new();
        for mut line in lines("data/parts.jsonl", PARTS)? {
            let name = line["name"].as_str().unwrap_or_default().to_owned();
            parts.insert(name, line["schema"].take());
        }
        Ok(Self { crds, parts })
    }
}

fn lines(file: &'static str, text: &str) -> Result<Vec<Value>, CrdError> {
    let values = text.lines().map(serde_json::from_str);
    values
        .collect::<Result<_, _>>()
        .map_err(|error| CrdError::Data {
            file,
            message: error.to_string(),
        })
}

/// Puts parts in the place of the references to them.
pub(super) fn expand(value: &Value, parts: &Parts) -> Result<Value, CrdError> {
    match value {
        Value::Object(fields) => {
            if let Some(name) = fields.get("$part").and_then(Value::as_str) {
                let part = parts
                    .get(name)
                    .ok_or_else(|| CrdError::Part(name.to_owned()))?;
                return expand(part, parts);
            }
            let fields = fields
                .iter()
                .map(|(key, value)| Ok((key.clone(), expand(value, parts)?)));
            Ok(Value::Object(fields.collect::<Result<Map<_, _>, _>>()?))
        }
        Value::Array(items) => items.iter().map(|item| expand(item, parts)).collect(),
        _ => Ok(value.clone()),
    }
}
