//! The types of Passbolt's resources: whether a secret is plain text or JSON, and the JSON schema that
//! it keeps. Understands the words of JSON schema that Passbolt uses; errors name places, never values.

use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Longest secret that is plain text.
const MAX_TEXT: usize = 4096;

/// The type of a resource.
#[derive(Deserialize)]
pub(crate) struct ResourceType {
    #[serde(default)]
    slug: String,
    #[serde(default)]
    definition: Value,
}

/// The part of a resource that a schema is for.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Metadata,
    Secret,
}

impl ResourceType {
    /// The members of a decrypted secret. Plain text is the password.
    pub(crate) fn secret_members(&self, plain: &SecretValue) -> Result<Map<String, Value>> {
        let schema = self.schema(Part::Secret)?;
        if schema.get("type") == Some(&json!("string")) {
            let text = plain.expose_utf8()?;
            if text.len() > MAX_TEXT {
                return Err(Error::invalid_data("password exceeds maximum length"));
            }
            return Ok(Map::from_iter([("password".to_owned(), json!(text))]));
        }
        members(&schema, plain).map_err(|error| error.context("validating Secret Data with Schema"))
    }

    /// The members of decrypted metadata.
    pub(crate) fn metadata_members(&self, plain: &SecretValue) -> Result<Map<String, Value>> {
        let schema = self.schema(Part::Metadata)?;
        members(&schema, plain).map_err(|error| error.context("validating Metadata with Schema"))
    }

    fn schema(&self, part: Part) -> Result<Value> {
        let given = match &self.definition {
            // Some versions give the schema as text.
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            other => other.clone(),
        };
        let definition = match given {
            Value::Array(list) if list.is_empty() => known(&self.slug)?,
            Value::Object(_) => given,
            _ => {
                return Err(Error::invalid_data(
                    "unmarshal Json Schema: it is no object",
                ));
            }
        };
        let name = match part {
            Part::Metadata => "resource",
            Part::Secret => "secret",
        };
        Ok(definition.get(name).cloned().unwrap_or_default())
    }
}

/// What the types of version 5 hold, for servers that forget to say so.
fn known(slug: &str) -> Result<Value> {
    let secret = match slug {
        "v5-password-string" => json!({"type": "string"}),
        "v5-default" => json!({"type": "object", "required": ["password"]}),
        "v5-default-with-totp" | "v5-totp-standalone" => {
            json!({"type": "object", "required": ["totp"]})
        }
        "v5-custom-fields" => json!({"type": "object", "required": ["custom_fields"]}),
        _ => {
            return Err(Error::invalid_data(format!(
                "unsupported resource type: {slug} (no schema available)"
            )));
        }
    };
    let resource = json!({"type": "object", "required": ["name"]});
    Ok(json!({"resource": resource, "secret": secret}))
}

fn members(schema: &Value, plain: &SecretValue) -> Result<Map<String, Value>> {
    let Ok(Value::Object(members)) = serde_json::from_slice(plain.expose()) else {
        return Err(Error::invalid_data("it is no JSON object"));
    };
    let value = Value::Object(members);
    if let Some(place) = broken(schema, &value, "") {
        return Err(Error::invalid_data(format!("{place:?} breaks the schema")));
    }
    match value {
        Value::Object(members) => Ok(members),
        _ => Ok(Map::new()),
    }
}

/// The place where a value breaks its schema.
fn broken(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let here = || Some(place.to_owned());
    if schema
        .get("type")
        .is_some_and(|types| !has_type(types, value))
    {
        return here();
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        return here();
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array)
        && !choices
            .iter()
            .any(|choice| broken(choice, value, place).is_none())
    {
        return here();
    }
    if !within_limits(schema, value) {
        return here();
    }
    match value {
        Value::Object(members) => broken_member(schema, members, place),
        Value::Array(items) => {
            let schema = schema.get("items")?;
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| broken(schema, item, &format!("{place}/{index}")))
        }
        _ => None,
    }
}

fn broken_member(schema: &Value, members: &Map<String, Value>, place: &str) -> Option<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = names.into_iter().find(|name| !members.contains_key(*name)) {
        return Some(format!("{place}/{missing}"));
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let known = schema.get("properties");
    members.iter().find_map(|(name, member)| {
        let place = format!("{place}/{name}");
        match known.and_then(|known| known.get(name)) {
            Some(schema) => broken(schema, member, &place),
            None => closed.then_some(place),
        }
    })
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap_or_default() {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => true,
    };
    types
        .as_array()
        .map_or_else(|| is(types), |types| types.iter().any(is))
}

fn within_limits(schema: &Value, value: &Value) -> bool {
    let (low, high, size) = match value {
        Value::String(text) => ("minLength", "maxLength", Some(text.chars().count())),
        Value::Array(items) => ("minItems", "maxItems", Some(items.len())),
        _ => ("minimum", "maximum", None),
    };
    #[allow(clippy::cast_precision_loss)] // Sizes of texts in memory.
    let size = size.map(|size| size as f64).or_else(|| value.as_f64());
    let limit = |name| schema.get(name).and_then(Value::as_f64);
    let Some(size) = size else { return true };
    limit(low).is_none_or(|low| size >= low) && limit(high).is_none_or(|high| size <= high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(definition: Value) -> ResourceType {
        ResourceType {
            slug: "v5-default".to_owned(),
            definition,
        }
    }

    fn secret(definition: Value, plain: &str) -> Result<Map<String, Value>> {
        of(definition).secret_members(&plain.into())
    }

    #[test]
    fn plain_text_is_the_password() {
        let definition = json!({"secret": {"type": "string"}});

        assert_eq!(secret(definition.clone(), "{x").unwrap()["password"], "{x");
        assert!(secret(definition, &"x".repeat(4097)).is_err());
    }

    #[test]
    fn a_schema_may_be_text_or_missing() {
        let text = json!(r#"{"secret": {"type": "object", "required": ["password"]}}"#);

        for definition in [text, json!([]), json!("[]")] {
            assert!(secret(definition.clone(), r#"{"password": "p"}"#).is_ok());
            assert!(secret(definition, "{}").is_err());
        }
        assert!(secret(json!(1), "{}").is_err());
    }

    #[test]
    fn what_breaks_the_schema_is_named_by_its_place_and_not_shown() {
        let definition = json!({"secret": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "password": {"anyOf": [{"type": "string", "maxLength": 8}, {"type": "null"}]},
                "totp": {"type": "object", "properties": {"digits": {"minimum": 6}}},
                "list": {"type": "array", "maxItems": 1, "items": {"enum": ["a"]}},
            },
        }});
        let table = [
            (r#"{"password": "hunter2-long"}"#, "/password"),
            (r#"{"totp": {"digits": 5}}"#, "/totp/digits"),
            (r#"{"list": ["hunter2"]}"#, "/list/0"),
            (r#"{"list": ["a", "a"]}"#, "/list"),
            (r#"{"hidden": "hunter2"}"#, "/hidden"),
        ];

        for (plain, place) in table {
            let text = secret(definition.clone(), plain).unwrap_err().to_string();
            assert!(text.contains(place) && !text.contains("hunter2"), "{text}");
        }
        assert!(secret(definition, r#"{"password": null, "list": ["a"]}"#).is_ok());
    }
}
