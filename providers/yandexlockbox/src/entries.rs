//! What the entries of a secret give: all of them as JSON, one of them, or all as a map.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::entries::{EntryValue, to_json, to_map};

use crate::error::{no_entry, unknown_type};
use crate::messages::{Entry, Payload, Value};

/// The value of a reference.
pub(crate) fn value(payload: Payload, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return typed(payload).map(to_json);
    };
    let mut entries = payload.entries.into_iter();
    let entry = entries.find(|entry| entry.key == property);
    let (_, value) = one(entry.ok_or_else(|| no_entry(property))?)?;
    Ok(value.into_secret())
}

/// All entries.
pub(crate) fn members(payload: Payload) -> Result<SecretMap> {
    typed(payload).map(to_map)
}

fn typed(payload: Payload) -> Result<Vec<(String, EntryValue)>> {
    payload.entries.into_iter().map(one).collect()
}

fn one(entry: Entry) -> Result<(String, EntryValue)> {
    let value = match entry.value {
        Some(Value::Text(text)) => EntryValue::Text(text),
        Some(Value::Binary(bytes)) => EntryValue::Bytes(bytes),
        None => return Err(unknown_type(&entry.key)),
    };
    Ok((entry.key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(key: &str, value: Option<Value>) -> Payload {
        let entry = Entry {
            key: key.to_owned(),
            value,
        };
        Payload {
            entries: vec![entry],
        }
    }

    #[test]
    fn a_missing_entry_is_named_and_deletes_nothing() {
        let held = payload("t", Some(Value::Text("v".to_owned())));

        let error = value(held, &RemoteRef::key("s").property("x")).unwrap_err();

        assert_eq!(error.to_string(), "payload entry with key 'x' not found");
        assert!(!error.consequence().absent);
    }

    #[test]
    fn an_entry_without_a_value_is_refused() {
        let error = members(payload("odd", None)).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidData);
        assert_eq!(
            error.to_string(),
            "unsupported payload value type, key: odd"
        );
    }
}
