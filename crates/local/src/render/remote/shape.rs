//! Reads the remote file. Faults name the place and the key, never a value.

use std::collections::BTreeMap;

use lockstep_golang::base64::{self, Encoding};
use lockstep_golang::json;
use lockstep_provider_api::SecretValue;
use serde_json::Value;

use super::{Remote, Stored};
use crate::strict::Fault;

/// Fields of an item of the list form.
const FIELDS: [&str; 6] = ["key", "version", "value", "base64", "tags", "metadata"];

impl Remote {
    /// What a parsed remote file says.
    pub(crate) fn of(value: &Value) -> Result<Self, Vec<Fault>> {
        let read: Vec<Result<Stored, Fault>> = match value {
            Value::Null => Vec::new(),
            Value::Object(members) => members.iter().map(member).collect(),
            Value::Array(items) => items.iter().enumerate().map(item).collect(),
            _ => vec![Err(fault(
                String::new(),
                "must be a mapping of remote keys, or a list",
                "see `lockstep render --help`",
            ))],
        };
        let mut secrets = Vec::new();
        let mut faults = Vec::new();
        for stored in read {
            match stored {
                Ok(stored) => secrets.push(stored),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() {
            Ok(Self { secrets })
        } else {
            Err(faults)
        }
    }
}

fn member((key, value): (&String, &Value)) -> Result<Stored, Fault> {
    if key.is_empty() {
        return Err(fault(
            String::new(),
            "a key is empty",
            "name the remote key",
        ));
    }
    Ok(Stored {
        key: key.clone(),
        version: None,
        value: bytes(value),
        tags: BTreeMap::new(),
        metadata: None,
    })
}

fn item((at, item): (usize, &Value)) -> Result<Stored, Fault> {
    let path = |field: &str| format!("[{at}].{field}");
    let Some(members) = item.as_object() else {
        let remedy = "write {key: NAME, value: TEXT}";
        return Err(fault(format!("[{at}]"), "must be a mapping", remedy));
    };
    if let Some(unknown) = members
        .keys()
        .find(|field| !FIELDS.contains(&field.as_str()))
    {
        let remedy = format!("use {}", FIELDS.join(", "));
        return Err(fault(path(unknown), "unknown field", &remedy));
    }
    let Some(key) = members
        .get("key")
        .and_then(Value::as_str)
        .filter(|key| !key.is_empty())
    else {
        return Err(fault(
            path("key"),
            "must be a string",
            "name the remote key",
        ));
    };
    let value = match (members.get("value"), members.get("base64")) {
        (Some(value), None) => bytes(value),
        (None, Some(encoded)) => {
            let encoded = encoded.as_str().unwrap_or("?").as_bytes();
            let decoded = base64::decode(Encoding::Standard, encoded);
            let decoded =
                decoded.map_err(|_| fault(path("base64"), "is not base64", "encode the bytes"))?;
            SecretValue::new(decoded)
        }
        _ => {
            let message = "needs either value or base64";
            return Err(fault(format!("[{at}]"), message, "write one of them"));
        }
    };
    Ok(Stored {
        key: key.to_owned(),
        version: members.get("version").map(text),
        value,
        tags: members.get("tags").map(texts).unwrap_or_default(),
        metadata: members.get("metadata").map(bytes),
    })
}

/// A value as a store would hold it: texts as they are, maps and lists as JSON.
fn bytes(value: &Value) -> SecretValue {
    match value {
        Value::String(text) => SecretValue::from(text.as_str()),
        Value::Object(_) | Value::Array(_) => {
            SecretValue::from(json::marshal(&json::Value::from(value)))
        }
        scalar => SecretValue::new(json::to_bytes(&json::Value::from(scalar))),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn texts(value: &Value) -> BTreeMap<String, String> {
    let members = value.as_object().into_iter().flatten();
    members
        .map(|(tag, held)| (tag.clone(), text(held)))
        .collect()
}

fn fault(field: String, message: &str, remedy: &str) -> Fault {
    Fault {
        field,
        message: message.to_owned(),
        remedy: remedy.to_owned(),
    }
}
