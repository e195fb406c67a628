//! One resource with its secret, decrypted: the five fields that upstream gives, as JSON in its order.
//! Version 4 keeps all but the secret in the clear, version 5 encrypts that too.

use lockstep_provider_api::json::{Value as Json, marshal};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing_kept;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::session::Session;

/// Names of the fields, in the order of the JSON.
const FIELDS: [&str; 5] = ["name", "username", "password", "uri", "description"];

/// A resource as the server gives it.
#[derive(Deserialize)]
pub(crate) struct Resource {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    uri: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "resource_type_id")]
    type_id: Option<String>,
    #[serde(default)]
    pub(crate) metadata: Option<String>,
    #[serde(default)]
    pub(crate) metadata_key_id: Option<String>,
    #[serde(default)]
    pub(crate) metadata_key_type: Option<String>,
}

#[derive(Deserialize)]
struct Secret {
    #[serde(default)]
    data: String,
}

/// A decrypted resource.
pub(crate) struct Opened {
    pub(crate) name: String,
    /// All fields as JSON.
    pub(crate) json: SecretValue,
}

/// Refuses an id that no resource can have.
pub(crate) fn check_id(id: &str) -> Result<()> {
    let shape: String = id
        .chars()
        .map(|c| if c.is_ascii_hexdigit() { 'x' } else { c })
        .collect();
    if shape == "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" {
        return Ok(());
    }
    Err(Error::invalid_spec(
        "checking ID format: UUID is not in valid format",
    ))
}

/// Reads and decrypts a resource.
pub(crate) async fn read(session: &Session, id: &str) -> Result<Opened> {
    check_id(id).map_err(|error| error.context("getting resource"))?;
    let path = format!("/resources/{id}.json");
    let resource: Result<Resource> = session.api.get("GetResource", &path).await;
    let resource = resource
        .map_err(missing_kept)
        .map_err(|error| error.context("getting resource"))?;
    let type_id = resource.type_id.clone().unwrap_or_default();
    let kind = match check_id(&type_id) {
        Ok(()) => session.resource_type(&type_id).await,
        Err(error) => Err(Error::invalid_data(error.to_string())),
    };
    let kind = kind.map_err(|error| error.context("getting resource type"))?;
    let path = format!("/secrets/resource/{id}.json");
    let secret: Result<Secret> = session.api.get("GetSecret", &path).await;
    let secret = secret
        .map_err(missing_kept)
        .map_err(|error| error.context("getting resource secret"))?;
    if secret.data.is_empty() {
        return Err(Error::invalid_data(
            "getting resource secret: the answer has no data",
        ));
    }
    let plain = session
        .key
        .open(&secret.data)
        .map_err(|error| error.context("decrypting secret data"))?
        .plain;
    let secret = kind
        .secret_members(&plain)
        .map_err(|error| error.context("validate secret data"))?;
    let metadata = if resource.metadata.as_deref().is_none_or(str::is_empty) {
        in_the_clear(&resource)
    } else {
        let opened = session.metadata.open(&session.api, &resource).await;
        opened
            .and_then(|plain| kind.metadata_members(&plain))
            .map_err(|error| error.context("getting metadata"))?
    };
    Ok(opened(&metadata, &secret))
}

fn in_the_clear(resource: &Resource) -> Map<String, Value> {
    Map::from_iter([
        ("name".to_owned(), json!(resource.name)),
        ("username".to_owned(), json!(resource.username)),
        ("uri".to_owned(), json!(resource.uri)),
        ("description".to_owned(), json!(resource.description)),
    ])
}

fn opened(metadata: &Map<String, Value>, secret: &Map<String, Value>) -> Opened {
    let of = |members: &Map<String, Value>, name: &str| {
        let text = members.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let first_of = |one: String, other: String| if one.is_empty() { other } else { one };
    let uris = metadata.get("uris").and_then(|uris| uris.get(0));
    let first_uri = uris.and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = of(metadata, "name");
    let values = [
        name.clone(),
        of(metadata, "username"),
        of(secret, "password"),
        first_of(of(metadata, "uri"), first_uri),
        first_of(of(metadata, "description"), of(secret, "description")),
    ];
    let members = FIELDS.iter().zip(values).map(|(field, value)| {
        let value = marshal(&Json::String(value));
        format!("\"{field}\":{value}")
    });
    let members: Vec<String> = members.collect();
    let json = SecretValue::from(format!("{{{}}}", members.join(",")));
    Opened { name, json }
}

/// One field of a resource's JSON.
pub(crate) fn field(json: &SecretValue, property: &str) -> Result<SecretValue> {
    if !FIELDS.contains(&property) {
        return Err(Error::invalid_spec(
            "property must be one of name, username, uri, password or description",
        ));
    }
    let members: Value = serde_json::from_slice(json.expose())
        .map_err(|_| Error::invalid_data("the fields of a resource are no JSON"))?;
    let value = members.get(property).and_then(Value::as_str);
    Ok(SecretValue::from(value.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn fields_come_in_upstreams_order_and_without_html_escapes() {
        let metadata = map(json!({"name": "two", "username": "u2", "uri": ""}));
        let secret = map(json!({"password": "p&w<1>", "description": "from the secret"}));

        let json = opened(&metadata, &secret).json;

        let want = r#"{"name":"two","username":"u2","password":"p&w<1>","uri":"","description":"from the secret"}"#;
        assert_eq!(json, want.into());
        assert_eq!(field(&json, "password").unwrap(), "p&w<1>".into());
    }

    #[test]
    fn the_first_of_several_uris_is_taken_and_null_is_empty() {
        let metadata =
            map(json!({"name": "n", "uris": ["https://a", "https://b"], "description": null}));

        let json = opened(&metadata, &Map::new()).json;

        assert_eq!(field(&json, "uri").unwrap(), "https://a".into());
        assert!(field(&json, "description").unwrap().is_empty());
    }

    #[test]
    fn other_fields_and_other_ids_are_refused() {
        assert!(field(&"{}".into(), "totp").is_err());
        assert!(check_id("55555555-eeee-4EEE-8eee-000000000001").is_ok());
        for id in ["one", "55555555-eeee-4eee-8eee-00000000000", "../users/me"] {
            assert!(check_id(id).is_err(), "{id}");
        }
    }
}
