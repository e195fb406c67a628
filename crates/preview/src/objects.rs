//! Objects by kind and name, read from JSON: manifests that are to be applied, a folder that stands for a
//! cluster, or what an API server listed. Knows nothing of where they come from.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use kube::Resource;
use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use lockstep_api::{
    ClusterExternalSecret, ClusterPushSecret, ClusterSecretStore, ExternalSecret, PushSecret,
    SecretStore,
};
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::store::StoreRecord;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Labels or annotations.
pub(crate) type Texts = BTreeMap<String, String>;

/// Objects by kind.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) external_secrets: BTreeMap<ObjectKey, ExternalSecret>,
    pub(crate) push_secrets: BTreeMap<ObjectKey, PushSecret>,
    pub(crate) cluster_external_secrets: BTreeMap<String, ClusterExternalSecret>,
    pub(crate) cluster_push_secrets: BTreeMap<String, ClusterPushSecret>,
    pub(crate) stores: BTreeMap<StoreKey, StoreRecord>,
    pub(crate) secrets: BTreeMap<ObjectKey, Secret>,
    pub(crate) config_maps: BTreeMap<ObjectKey, ConfigMap>,
    /// Annotations of ServiceAccounts.
    pub(crate) service_accounts: BTreeMap<ObjectKey, Texts>,
    /// Namespaces by name.
    pub(crate) namespaces: BTreeMap<String, Namespace>,
    /// Generators by kind; those of the cluster have no namespace.
    pub(crate) generators: BTreeMap<(String, ObjectKey), Value>,
    /// Kinds of documents that say nothing to the operator, with their number.
    pub(crate) others: BTreeMap<String, usize>,
}

impl Objects {
    /// Takes one object. An error names what cannot be read, and no value.
    pub(crate) fn add(&mut self, value: Value) -> Result<(), String> {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let key = key_of(&value);
        match (api_version.as_str(), kind.as_str()) {
            ("external-secrets.io/v1", "ExternalSecret") => {
                self.external_secrets.insert(key, read(value)?);
            }
            ("external-secrets.io/v1alpha1", "PushSecret") => {
                self.push_secrets.insert(key, read(value)?);
            }
            ("external-secrets.io/v1", "ClusterExternalSecret") => {
                self.cluster_external_secrets
                    .insert(key.name().to_owned(), read(value)?);
            }
            ("external-secrets.io/v1alpha1", "ClusterPushSecret") => {
                self.cluster_push_secrets
                    .insert(key.name().to_owned(), read(value)?);
            }
            ("external-secrets.io/v1", "SecretStore") => {
                self.add_store(read::<SecretStore>(value)?);
            }
            ("external-secrets.io/v1", "ClusterSecretStore") => {
                self.add_store(read::<ClusterSecretStore>(value)?);
            }
            ("v1", "Secret") => {
                self.secrets.insert(key, decoded(read(value)?));
            }
            ("v1", "ConfigMap") => {
                self.config_maps.insert(key, read(value)?);
            }
            ("v1", "ServiceAccount") => {
                let account: ServiceAccount = read(value)?;
                let annotations = account.metadata.annotations.unwrap_or_default();
                self.service_accounts.insert(key, annotations);
            }
            ("v1", "Namespace") => {
                let namespace: Namespace = read(value)?;
                self.namespaces.insert(key.name().to_owned(), namespace);
            }
            (GeneratorRef::API_VERSION, word) if GeneratorKind::WORDS.contains(&word) => {
                self.generators.insert((kind, key), value);
            }
            _ => *self.others.entry(kind).or_insert(0) += 1,
        }
        Ok(())
    }

    /// Takes a store, with the owners of its fields, which the operator does not keep.
    pub(crate) fn add_store<K: Resource>(&mut self, mut store: K)
    where
        StoreRecord: From<K>,
    {
        let owners = store.meta_mut().managed_fields.take();
        let mut record = StoreRecord::from(store);
        record.metadata.managed_fields = owners;
        self.stores.insert(record.key.clone(), record);
    }

    /// Whether there is nothing the operator would look at.
    pub(crate) fn is_empty(&self) -> bool {
        self.external_secrets.is_empty()
            && self.push_secrets.is_empty()
            && self.cluster_external_secrets.is_empty()
            && self.cluster_push_secrets.is_empty()
            && self.stores.is_empty()
            && self.generators.is_empty()
            && self.secrets.is_empty()
            && self.config_maps.is_empty()
            && self.namespaces.is_empty()
    }
}

/// Namespace and name of an object.
fn key_of(value: &Value) -> ObjectKey {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    ObjectKey::new(
        text("/metadata/namespace").unwrap_or_default(),
        text("/metadata/name").unwrap_or_default(),
    )
}

/// The typed object. The decoder's own text could quote a value, so it is not passed on.
fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    let (kind, key) = (value["kind"].as_str().map(str::to_owned), key_of(&value));
    serde_json::from_value(value).map_err(|_| {
        let kind = kind.unwrap_or_default();
        format!("{kind} {key} does not fit its schema; compare it with `lockstep crds`")
    })
}

/// A Secret with its plain texts among its data, as an API server keeps it.
fn decoded(mut secret: Secret) -> Secret {
    for (key, text) in secret.string_data.take().unwrap_or_default() {
        let data = secret.data.get_or_insert_default();
        data.insert(key, ByteString(text.into_bytes()));
    }
    secret.type_.get_or_insert_with(|| "Opaque".to_owned());
    secret
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_go_to_their_kind_and_others_are_counted() {
        let mut objects = Objects::default();

        for (api_version, kind) in [
            ("external-secrets.io/v1", "SecretStore"),
            ("apps/v1", "Deployment"),
            ("apps/v1", "Deployment"),
        ] {
            let object = json!({
                "apiVersion": api_version, "kind": kind,
                "metadata": {"name": "x", "namespace": "a"}, "spec": {"provider": {"fake": {"data": []}}},
            });
            objects.add(object).unwrap();
        }

        assert!(objects.stores.contains_key(&StoreKey::namespaced("a", "x")));
        assert_eq!(objects.others.get("Deployment"), Some(&2));
        assert!(!objects.is_empty());
    }

    #[test]
    fn an_object_that_does_not_fit_is_named_without_its_values() {
        let object = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x", "namespace": "a"},
            "data": "canary-value",
        });

        let error = Objects::default().add(object).unwrap_err();

        assert!(error.starts_with("Secret a/x does not fit"), "{error}");
        assert!(!error.contains("canary"), "{error}");
    }
}
