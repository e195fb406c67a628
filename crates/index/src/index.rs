//! What the controllers know of the cluster: one table of slim rows a kind. Watches write it, reconciles
//! read it. A lock is held for one lookup and never across an await.

use lockstep_plan::Salt;

use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};
use parking_lot::{Mutex, MutexGuard};

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
        self.manifest_targets.lock()
    }

    pub fn external_secrets(&self) -> MutexGuard<'_, ExternalSecrets> {
        self.external_secrets.lock()
    }

    pub fn push_secrets(&self) -> MutexGuard<'_, PushSecrets> {
        self.push_secrets.lock()
    }

    pub fn cluster_external_secrets(&self) -> MutexGuard<'_, Parents<ClusterExternalSecret>> {
        self.cluster_external_secrets.lock()
    }

    pub fn cluster_push_secrets(&self) -> MutexGuard<'_, Parents<ClusterPushSecret>> {
        self.cluster_push_secrets.lock()
    }

    pub fn stores(&self) -> MutexGuard<'_, Stores> {
        self.stores.lock()
    }

    pub fn targets(&self) -> MutexGuard<'_, Targets> {
        self.targets.lock()
    }

    pub fn inputs(&self) -> MutexGuard<'_, Inputs> {
        self.inputs.lock()
    }

    pub fn namespaces(&self) -> MutexGuard<'_, Namespaces> {
        self.namespaces.lock()
    }
}
