//! A Secret as a manifest that `kubectl apply -f` takes. What only makes sense inside one cluster
//! is left out; an owner reference to an object that is not there would have the Secret collected.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'a>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    immutable: Option<bool>,
    data: BTreeMap<&'a str, &'a ByteString>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    namespace: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a BTreeMap<String, String>>,
}

/// The manifest of a Secret.
pub(super) fn manifest(secret: &Secret) -> Result<Vec<u8>, String> {
    let metadata = &secret.metadata;
    let data = secret.data.iter().flatten();
    let manifest = Manifest {
        api_version: "v1",
        kind: "Secret",
        metadata: Metadata {
            name: metadata.name.as_deref().unwrap_or_default(),
            namespace: metadata.namespace.as_deref().unwrap_or_default(),
            labels: metadata.labels.as_ref().filter(|labels| !labels.is_empty()),
            annotations: metadata
                .annotations
                .as_ref()
                .filter(|notes| !notes.is_empty()),
        },
        type_: secret.type_.as_deref(),
        immutable: secret.immutable,
        data: data.map(|(key, value)| (key.as_str(), value)).collect(),
    };
    // Quoted, because `true` or `1e3` may well be the base64 of something.
    let options = serde_saphyr::ser_options! { quote_all: true };
    let text = serde_saphyr::to_string_with_options(&manifest, options);
    text.map(String::into_bytes)
        .map_err(|error| format!("cannot be written as YAML: {error}"))
}
