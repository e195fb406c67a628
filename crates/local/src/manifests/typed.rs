//! From JSON that fits its schema to typed objects, with the checks that admission does in a
//! cluster. Values of Secrets are decoded here and appear in no message.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore};
use lockstep_golang::base64::{self, Encoding};
use lockstep_plan::validate;
use lockstep_provider_api::{SecretMap, SecretValue};
use lockstep_remote::StoreRecord;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Kind;
use super::refusal::{self, refused};
use crate::documents::without_values;
use crate::name::is_data_key;
use crate::strict::Fault;

pub(super) fn external_secret(mut value: Value) -> Result<ExternalSecret, Vec<Fault>> {
    forget_cluster(&mut value);
    let object: ExternalSecret = typed(value)?;
    let faults = refusal::external_secret(&object.spec);
    if faults.is_empty() {
        Ok(object)
    } else {
        Err(faults)
    }
}

pub(super) fn store(kind: Kind, mut value: Value) -> Result<StoreRecord, Vec<Fault>> {
    forget_cluster(&mut value);
    one_provider(&value)?;
    let store = match kind {
        Kind::ClusterSecretStore => StoreRecord::from(typed::<ClusterSecretStore>(value)?),
        _ => StoreRecord::from(typed::<SecretStore>(value)?),
    };
    validate::store(&store.key.name, &store.spec)
        .map_err(|text| vec![refused("spec".to_owned(), text)])?;
    Ok(store)
}

pub(super) fn secret(mut value: Value) -> Result<Secret, Vec<Fault>> {
    forget_cluster(&mut value);
    let given = |section: &str| value[section].as_object().cloned().unwrap_or_default();
    let (encoded, plain) = (given("data"), given("stringData"));
    let mut faults: Vec<Fault> = Vec::new();
    let mut data = BTreeMap::new();
    for (key, encoded) in encoded {
        let text = encoded.as_str().unwrap_or_default().as_bytes();
        match base64::decode(Encoding::Standard, text) {
            Ok(bytes) => drop(data.insert(key, ByteString(bytes))),
            Err(_) => faults.push(Fault {
                field: format!("data.{key}"),
                message: "is not base64".to_owned(),
                remedy: "encode it, or put plain text under stringData".to_owned(),
            }),
        }
    }
    for (key, text) in plain {
        let text = text.as_str().unwrap_or_default();
        data.insert(key, ByteString(text.as_bytes().to_vec()));
    }
    faults.extend(
        data.keys()
            .filter(|key| !is_data_key(key))
            .map(|key| bad_key(key)),
    );
    if !faults.is_empty() {
        return Err(faults);
    }
    // Decoded above, so that no message of a decoder shows a value.
    for section in ["data", "stringData"] {
        value[section] = Value::Null;
    }
    let secret: Secret = typed(value)?;
    Ok(Secret {
        data: Some(data),
        ..secret
    })
}

pub(super) fn config_map(value: Value) -> Result<SecretMap, Vec<Fault>> {
    let map: ConfigMap = typed(value)?;
    let texts = map
        .data
        .into_iter()
        .flatten()
        .map(|(key, text)| (key, SecretValue::from(text)));
    let bytes = map.binary_data.into_iter().flatten();
    let bytes = bytes.map(|(key, bytes)| (key, SecretValue::new(bytes.0)));
    Ok(texts.chain(bytes).collect())
}

pub(super) fn labels(value: &Value) -> BTreeMap<String, String> {
    texts(value.pointer("/metadata/labels"))
}

pub(super) fn annotations(value: &Value) -> BTreeMap<String, String> {
    texts(value.pointer("/metadata/annotations"))
}

fn texts(map: Option<&Value>) -> BTreeMap<String, String> {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    let texts = entries.filter_map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())));
    texts.collect()
}

/// Fields of metadata that an API server sets.
const SERVER_FIELDS: [&str; 6] = [
    "uid",
    "resourceVersion",
    "generation",
    "managedFields",
    "deletionTimestamp",
    "selfLink",
];

/// Takes out what an API server put into an exported object.
fn forget_cluster(value: &mut Value) {
    if let Some(object) = value.as_object_mut() {
        object.remove("status");
    }
    if let Some(metadata) = value["metadata"].as_object_mut() {
        metadata.retain(|field, _| !SERVER_FIELDS.contains(&field.as_str()));
    }
}

fn one_provider(value: &Value) -> Result<(), Vec<Fault>> {
    let union = value.pointer("/spec/provider").and_then(Value::as_object);
    let named = union
        .into_iter()
        .flatten()
        .filter(|(_, settings)| !settings.is_null());
    let named: Vec<&str> = named.map(|(name, _)| name.as_str()).collect();
    let (message, remedy) = match named.as_slice() {
        [_] => return Ok(()),
        [] => (
            "names no provider".to_owned(),
            "name exactly one, for example fake",
        ),
        several => (
            format!("names {} providers ({})", several.len(), several.join(", ")),
            "keep exactly one",
        ),
    };
    let field = "spec.provider".to_owned();
    Err(vec![Fault {
        field,
        message,
        remedy: remedy.to_owned(),
    }])
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Vec<Fault>> {
    serde_json::from_value(value).map_err(|error| {
        let message = format!("cannot be read: {}", without_values(&error.to_string()));
        let remedy = "compare it with `lockstep crds`".to_owned();
        vec![Fault {
            field: String::new(),
            message,
            remedy,
        }]
    })
}

fn bad_key(key: &str) -> Fault {
    Fault {
        field: format!("data.{key}"),
        message: "is not a valid key of a Secret".to_owned(),
        remedy: "use letters, digits, dashes, dots and underscores".to_owned(),
    }
}
