//! Secrets as they stand on the wire. [`Secret`] is what a read needs; [`Stored`] keeps everything
//! the API server sent, so that an update changes nothing but what it means to.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::{SecretMap, SecretValue};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// Labels or annotations; absent differs from empty when metadata is read as JSON.
pub(crate) type Strings = BTreeMap<String, String>;

/// A Secret that was read.
#[derive(Debug, Deserialize)]
pub(crate) struct Secret {
    #[serde(default)]
    pub(crate) metadata: Metadata,
    #[serde(default, deserialize_with = "data")]
    pub(crate) data: SecretMap,
}

/// The part of the metadata that can be read as a secret.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Metadata {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) labels: Option<Strings>,
    pub(crate) annotations: Option<Strings>,
}

/// A Secret about to be written.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Stored {
    /// Everything below `metadata`, known or not.
    #[serde(default)]
    pub(crate) metadata: Map<String, Value>,
    #[serde(default, deserialize_with = "data")]
    pub(crate) data: SecretMap,
    #[serde(default, rename = "type")]
    pub(crate) secret_type: String,
    #[serde(default)]
    pub(crate) immutable: Option<bool>,
}

impl Stored {
    /// A Secret that does not exist yet.
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        let mut metadata = Map::new();
        metadata.insert("name".to_owned(), name.into());
        metadata.insert("namespace".to_owned(), namespace.into());
        Self {
            metadata,
            data: SecretMap::new(),
            secret_type: String::new(),
            immutable: None,
        }
    }

    /// A text field of the metadata.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.metadata
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Labels or annotations.
    pub(crate) fn strings(&self, field: &str) -> Strings {
        let entries = self.metadata.get(field).and_then(Value::as_object);
        entries
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
            .collect()
    }

    /// Sets labels or annotations; empty ones are left out, as the API server stores them.
    pub(crate) fn set_strings(&mut self, field: &str, entries: Strings) {
        if entries.is_empty() {
            self.metadata.remove(field);
        } else {
            self.metadata.insert(field.to_owned(), json!(entries));
        }
    }

    /// The request body.
    pub(crate) fn body(&self) -> Vec<u8> {
        let data: BTreeMap<_, _> = self
            .data
            .iter()
            .map(|(key, value)| (key, STANDARD.encode(value.expose())))
            .collect();
        let mut body = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": self.metadata,
            "type": self.secret_type,
            "data": data,
        });
        if let Some(immutable) = self.immutable {
            body["immutable"] = immutable.into();
        }
        body.to_string().into_bytes()
    }
}

fn data<'de, D: Deserializer<'de>>(source: D) -> Result<SecretMap, D::Error> {
    let entries: Option<BTreeMap<String, Option<Bytes>>> = Deserialize::deserialize(source)?;
    let entries = entries.into_iter().flatten();
    Ok(entries
        .map(|(key, value)| (key, value.unwrap_or_default().0))
        .collect())
}

/// A value, decoded where it stands; its base64 text is borrowed, not kept.
#[derive(Default)]
struct Bytes(SecretValue);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text: std::borrow::Cow<'_, str> = Deserialize::deserialize(source)?;
        let bytes = STANDARD
            .decode(text.as_bytes())
            .map_err(|_| D::Error::custom("a value is not valid base64"))?;
        Ok(Self(SecretValue::new(bytes)))
    }
}
