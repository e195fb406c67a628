//! A store of either kind with the view its users decide by. The view is made once a change, so that
//! nothing is parsed or compiled when the store is used.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreSpec, SecretStoreStatus};

use super::{StoreKey, StoreKind, StoreObject, StoreView};

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
