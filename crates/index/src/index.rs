//! What the controllers know of the cluster: one table of slim rows a kind. Watches write it, reconciles
//! read it. A lock is held for one lookup and never across an await.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lockstep_plan::Salt;

use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};

use crate::rows::{
    ExternalSecrets, Inputs, ManifestTargets, Namespaces, Parents, PushSecrets, Stores, Targets,
};

/// All tables.
#[derive(Default)]
pub struct Index {
    external_secrets: Mutex<ExternalSecrets>,
    push_secrets: Mutex<PushSecrets>,
    cluster_external_secrets: Mutex<Parents<ClusterExternalSecret>>,
    cluster_push_secrets: Mutex<Parents<ClusterPushSecret>>,
    stores: Mutex<Stores>,
    targets: Mutex<Targets>,
    namespaces: Mutex<Namespaces>,
    manifest_targets: Mutex<ManifestTargets>,
    inputs: Mutex<Inputs>,
    salt: Salt,
}

impl Index {
    /// An index that hashes values with this salt.
    pub fn new(salt: Salt) -> Self {
        Self {
            salt,
            ..Self::default()
        }
    }

    pub(crate) fn salt(&self) -> &Salt {
        &self.salt
    }

    /// Targets that are no Secrets.
    pub fn manifest_targets(&self) -> MutexGuard<'_, ManifestTargets> {
        locked(&self.manifest_targets)
    }

    pub fn external_secrets(&self) -> MutexGuard<'_, ExternalSecrets> {
        locked(&self.external_secrets)
    }

    pub fn push_secrets(&self) -> MutexGuard<'_, PushSecrets> {
        locked(&self.push_secrets)
    }

    pub fn cluster_external_secrets(&self) -> MutexGuard<'_, Parents<ClusterExternalSecret>> {
        locked(&self.cluster_external_secrets)
    }

    pub fn cluster_push_secrets(&self) -> MutexGuard<'_, Parents<ClusterPushSecret>> {
        locked(&self.cluster_push_secrets)
    }

    pub fn stores(&self) -> MutexGuard<'_, Stores> {
        locked(&self.stores)
    }

    pub fn targets(&self) -> MutexGuard<'_, Targets> {
        locked(&self.targets)
    }

    pub fn inputs(&self) -> MutexGuard<'_, Inputs> {
        locked(&self.inputs)
    }

    pub fn namespaces(&self) -> MutexGuard<'_, Namespaces> {
        locked(&self.namespaces)
    }
}

/// A panic while a row was written leaves at worst one stale row; the watch mends it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
