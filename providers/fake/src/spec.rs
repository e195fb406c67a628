//! The manifest of a fake store and its checks. Values are secrets from the moment they are read.

use lockstep_provider_api::prelude::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// A store whose secrets are written in its manifest, for examples and tests.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FakeSpec {
    /// Secrets of the store.
    pub data: Vec<Item>,
    /// What the store reports of itself: 0 ready, 1 unknown, 2 failed.
    #[serde(default)]
    #[schemars(schema_with = "integer")]
    pub validation_result: Option<i64>,
}

/// One secret of the store.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Name of the secret.
    pub key: String,
    /// Its value, in plain text.
    #[serde(deserialize_with = "text")]
    #[schemars(with = "String")]
    pub value: SecretValue,
    /// Version that a reference must ask for.
    #[serde(default, deserialize_with = "text_or_nothing")]
    #[schemars(with = "String")]
    pub version: String,
}

impl FakeSpec {
    /// Refuses entries without a key and warns of entries without a value.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        let mut warnings = Warnings::new();
        for (at, item) in self.data.iter().enumerate() {
            if item.key.is_empty() {
                return Err(Error::invalid_spec(format!("key must be set in data {at}")));
            }
            // Upstream's webhook refuses these, yet its controller serves them as empty secrets.
            if item.value.is_empty() {
                warnings.push(format!("at least one value must be set in data {at}"));
            }
        }
        Ok(warnings)
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretValue, D::Error> {
    // The usual error would show what stands there instead of a text.
    let text = String::deserialize(deserializer);
    let text = text.map_err(|_| de::Error::custom("value must be a text; put it in quotes"))?;
    Ok(SecretValue::from(text))
}

fn text_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Upstream's schema has no format here.
fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Fake;
    use lockstep_provider_api::Entry;

    fn spec(value: serde_json::Value) -> FakeSpec {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn an_entry_without_a_key_is_refused_by_its_place() {
        let spec =
            spec(json!({ "data": [{ "key": "k", "value": "v" }, { "key": "", "value": "v" }] }));

        let error = spec.validate().unwrap_err();

        assert_eq!(error.to_string(), "key must be set in data 1");
    }

    #[test]
    fn an_empty_value_is_a_warning() {
        let spec = spec(json!({ "data": [{ "key": "k", "value": "" }] }));

        assert_eq!(
            spec.validate().unwrap(),
            ["at least one value must be set in data 0"]
        );
    }

    #[test]
    fn debug_of_a_spec_hides_its_values() {
        let spec = spec(json!({ "data": [{ "key": "k", "value": "hunter2", "version": null }] }));

        assert!(!format!("{spec:?}").contains("hunter2"));
    }

    #[test]
    fn a_value_that_is_no_text_is_refused_without_being_shown() {
        let spec = json!({ "data": [{ "key": "k", "value": 271_828 }] });

        let error = serde_json::from_value::<FakeSpec>(spec).unwrap_err();

        assert!(!error.to_string().contains("271828"), "{error}");
    }

    #[test]
    fn the_schema_is_upstreams_but_for_descriptions() {
        let mut schema = Entry::of::<Fake>().schema().to_value();
        let item = schema
            .pointer_mut("/components/schemas/Item")
            .unwrap()
            .take();
        let properties = |schema: &serde_json::Value| -> Vec<(String, serde_json::Value)> {
            let members = schema["properties"].as_object().unwrap();
            let kinds = members
                .iter()
                .map(|(name, of)| (name.clone(), of["type"].clone()));
            kinds.collect()
        };

        assert_eq!(schema["required"], json!(["data"]));
        assert_eq!(item["required"], json!(["key", "value"]));
        assert_eq!(
            properties(&schema),
            [
                ("data".to_owned(), json!("array")),
                ("validationResult".to_owned(), json!("integer"))
            ]
        );
        assert_eq!(schema["properties"]["validationResult"].get("format"), None);
        assert!(properties(&item).iter().all(|(_, kind)| kind == "string"));
    }
}
