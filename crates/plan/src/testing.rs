//! Fixtures for the tests of this crate: objects from YAML, and an observation with defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore};
use lockstep_provider_api::{SecretMap, SecretValue};
use lockstep_template::{Budget, Limits};

use crate::external_secret::{Observed, ObservedTarget, TemplateSources};
use crate::settings::Settings;
use crate::store::{StoreKey, StoreView};
use crate::target::TargetRow;
use crate::work::Work;

pub(crate) const NAMESPACE: &str = "ns";
pub(crate) const UID: &str = "es-uid";

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Noon of a day that is a Friday.
pub(crate) fn noon() -> Timestamp {
    at("2026-05-01T12:00:00Z")
}

/// An ExternalSecret `es` in `ns` with this spec, already with its finalizer.
pub(crate) fn external_secret(spec: &str) -> ExternalSecret {
    let mut object = ExternalSecret::new("es", serde_saphyr::from_str(spec).unwrap());
    object.metadata.namespace = Some(NAMESPACE.to_owned());
    object.metadata.uid = Some(UID.to_owned());
    object.metadata.generation = Some(1);
    object.metadata.resource_version = Some("7".to_owned());
    object.metadata.finalizers = Some(vec![
        lockstep_api::keys::FINALIZER_EXTERNAL_SECRET.to_owned(),
    ]);
    object
}

/// One value `a` from store `s`, and more spec.
pub(crate) fn one_value(more: &str) -> ExternalSecret {
    let data = "data: [{secretKey: a, remoteRef: {key: k}}]";
    external_secret(&format!("secretStoreRef: {{name: s}}\n{data}\n{more}"))
}

/// A ready SecretStore.
pub(crate) fn ready_store(name: &str) -> SecretStore {
    let mut store: SecretStore = serde_saphyr::from_str(
        "{spec: {provider: {fake: {data: []}}}, status: {conditions: [{type: Ready, status: 'True'}]}}",
    )
    .unwrap();
    store.metadata.name = Some(name.to_owned());
    store.metadata.namespace = Some(NAMESPACE.to_owned());
    store
}

/// A ready ClusterSecretStore with more spec.
pub(crate) fn ready_cluster_store(name: &str, more: &str) -> ClusterSecretStore {
    let mut store: ClusterSecretStore = serde_saphyr::from_str(&format!(
        "{{spec: {{provider: {{fake: {{data: []}}}}, {more}}}, \
          status: {{conditions: [{{type: Ready, status: 'True'}}]}}}}"
    ))
    .unwrap();
    store.metadata.name = Some(name.to_owned());
    store
}

/// Stores by key.
pub(crate) type Stores = BTreeMap<StoreKey, Arc<StoreView>>;

/// The lookup for one ready store `s`.
pub(crate) fn stores() -> Stores {
    lookup([StoreView::of(&ready_store("s"))])
}

pub(crate) fn lookup(views: impl IntoIterator<Item = StoreView>) -> Stores {
    views
        .into_iter()
        .map(|view| (view.key.clone(), Arc::new(view)))
        .collect()
}

/// What surrounds an object in a test.
pub(crate) struct Scene {
    pub(crate) object: ExternalSecret,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) stores: Stores,
    pub(crate) target: Option<TargetRow>,
    pub(crate) former: Vec<TargetRow>,
    pub(crate) last_refresh: Option<Timestamp>,
    pub(crate) inputs_changed: bool,
    pub(crate) sources: TemplateSources,
}

impl Scene {
    pub(crate) fn of(object: ExternalSecret) -> Self {
        Self {
            object,
            labels: BTreeMap::new(),
            stores: stores(),
            target: None,
            former: Vec::new(),
            last_refresh: None,
            inputs_changed: false,
            sources: TemplateSources::new(),
        }
    }

    pub(crate) fn with_target(mut self, secret: &Secret) -> Self {
        self.target = Some(TargetRow::of(secret, &crate::Salt::default()));
        self
    }

    /// Calls `test` with the observation.
    pub(crate) fn observe<T>(&self, test: impl FnOnce(&Observed<'_>) -> T) -> T {
        test(&Observed {
            object: self.object.clone(),
            namespace_labels: Some(Arc::new(self.labels.clone())),
            stores: &self.stores,
            target: match &self.target {
                Some(row) => ObservedTarget::Row(Arc::new(row.clone())),
                None => ObservedTarget::Absent,
            },
            former_targets: self.former.iter().cloned().map(Arc::new).collect(),
            last_refresh: self.last_refresh,
            inputs_changed: self.inputs_changed,
            asked: Timestamp::UNIX_EPOCH,
            sources: self.sources.clone(),
            jitter: 0.0,
        })
    }
}

/// A Secret from YAML with `stringData` in place of `data`.
pub(crate) fn secret(text: &str) -> Secret {
    let mut secret: Secret = serde_saphyr::from_str(text).unwrap();
    for (key, value) in secret.string_data.take().into_iter().flatten() {
        let data = secret.data.get_or_insert_default();
        data.insert(key, k8s_openapi::ByteString(value.into_bytes()));
    }
    secret
}

/// Text of a key of a Secret.
pub(crate) fn text<'a>(secret: &'a Secret, key: &str) -> Option<&'a str> {
    std::str::from_utf8(&secret.data.as_ref()?.get(key)?.0).ok()
}

pub(crate) fn map<const N: usize>(pairs: [(&str, &str); N]) -> SecretMap {
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), SecretValue::from(value)))
        .collect()
}

/// A budget of the usual limits.
pub(crate) fn budget() -> Budget {
    Budget::new(Limits::default())
}

/// The means of planning at noon.
pub(crate) fn work<'a>(settings: &'a Settings, budget: &'a Budget) -> Work<'a> {
    Work {
        settings,
        now: noon(),
        budget,
    }
}
