//! A store as the engine holds it: the object, and the view its users decide by, made once a
//! change.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreSpec, SecretStoreStatus};
use lockstep_plan::store::StoreObject;
use lockstep_plan::{StoreKey, StoreKind, StoreView};

/// One store of either kind.
#[derive(Clone, Debug)]
pub struct StoreRecord {
    pub key: StoreKey,
    /// What its users need to know, made once a change.
    pub view: Arc<StoreView>,
    pub metadata: ObjectMeta,
    pub spec: SecretStoreSpec,
    pub status: SecretStoreStatus,
    /// Duration of the last check, for the metrics endpoint.
    pub last_nanos: u64,
}

impl StoreRecord {
    fn new(
        kind: StoreKind,
        mut metadata: ObjectMeta,
        spec: SecretStoreSpec,
        status: Option<SecretStoreStatus>,
    ) -> Self {
        metadata.managed_fields = None;
        let status = status.unwrap_or_default();
        let object = StoreObject {
            kind,
            metadata: &metadata,
            spec: &spec,
            status: Some(&status),
        };
        let (key, view) = (object.key(), Arc::new(StoreView::of(object)));
        Self {
            key,
            view,
            metadata,
            spec,
            status,
            last_nanos: 0,
        }
    }

    /// The store as the planner takes it.
    pub fn object(&self) -> StoreObject<'_> {
        StoreObject {
            kind: self.key.kind,
            metadata: &self.metadata,
            spec: &self.spec,
            status: Some(&self.status),
        }
    }

    /// How many values its backend reads in one request; 1 where it reads one by one.
    pub fn batch(&self) -> usize {
        let provider = self.spec.provider.only().ok();
        let able = provider.and_then(|(name, spec)| {
            let entry = lockstep_provider_registry::lookup(name).ok()?;
            entry.capabilities(spec).ok()
        });
        able.map_or(1, |able| able.batch)
    }

    /// Whether the Ready condition holds, where there is one.
    pub fn ready(&self) -> Option<bool> {
        self.view.ready
    }
}

impl From<SecretStore> for StoreRecord {
    fn from(store: SecretStore) -> Self {
        Self::new(
            StoreKind::SecretStore,
            store.metadata,
            store.spec,
            store.status,
        )
    }
}

impl From<ClusterSecretStore> for StoreRecord {
    fn from(store: ClusterSecretStore) -> Self {
        Self::new(
            StoreKind::ClusterSecretStore,
            store.metadata,
            store.spec,
            store.status,
        )
    }
}
