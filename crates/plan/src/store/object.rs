//! A SecretStore or a ClusterSecretStore, borrowed: both kinds share one spec and one status, and
//! every decision about stores is written once against this view.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreSpec, SecretStoreStatus};

use super::{StoreKey, StoreKind};

/// A store of either kind.
#[derive(Clone, Copy, Debug)]
pub struct StoreObject<'a> {
    /// Kind of the store.
    pub kind: StoreKind,
    /// Its metadata.
    pub metadata: &'a ObjectMeta,
    /// Its spec.
    pub spec: &'a SecretStoreSpec,
    /// Its status.
    pub status: Option<&'a SecretStoreStatus>,
}

impl StoreObject<'_> {
    /// Identity of the store.
    pub fn key(&self) -> StoreKey {
        let name = self.name().to_owned();
        match self.kind {
            StoreKind::SecretStore => {
                StoreKey::namespaced(self.metadata.namespace.clone().unwrap_or_default(), name)
            }
            StoreKind::ClusterSecretStore => StoreKey::cluster(name),
        }
    }

    /// Name of the store.
    pub fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// Controller class it asks for; an empty one is none.
    pub fn class(&self) -> Option<&str> {
        self.spec
            .controller
            .as_deref()
            .filter(|class| !class.is_empty())
    }
}

impl<'a> From<&'a SecretStore> for StoreObject<'a> {
    fn from(store: &'a SecretStore) -> Self {
        Self {
            kind: StoreKind::SecretStore,
            metadata: &store.metadata,
            spec: &store.spec,
            status: store.status.as_ref(),
        }
    }
}

impl<'a> From<&'a ClusterSecretStore> for StoreObject<'a> {
    fn from(store: &'a ClusterSecretStore) -> Self {
        Self {
            kind: StoreKind::ClusterSecretStore,
            metadata: &store.metadata,
            spec: &store.spec,
            status: store.status.as_ref(),
        }
    }
}
