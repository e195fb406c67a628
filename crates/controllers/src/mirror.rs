//! What the controllers know of the cluster, reduced to rows. Watches write it, runs read it; a
//! lock is held for a lookup and never across an await.

mod cluster_external_secrets;
mod external_secrets;
mod inputs;
mod namespaces;
mod packed;
mod push_secrets;
mod relist;
pub(crate) mod seen;
mod stores;
mod targets;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use cluster_external_secrets::{
    Child, ClusterExternalSecrets, Row as ClusterExternalSecretRow,
};
pub(crate) use external_secrets::{ExternalSecrets, Memory, Touch, key_of as external_secret_key};
pub(crate) use inputs::{InputKey, InputKind, Inputs, Reader};
pub(crate) use namespaces::{Labels, Namespaces};
pub(crate) use push_secrets::{PushSecrets, key_of as push_secret_key};
pub(crate) use relist::Relist;
pub(crate) use stores::{StoreTouch, Stores};
pub(crate) use targets::{Sight, Targets, key_of as target_key};

/// All rows.
#[derive(Default)]
pub(crate) struct Mirror {
    external_secrets: Mutex<ExternalSecrets>,
    push_secrets: Mutex<PushSecrets>,
    cluster_external_secrets: Mutex<ClusterExternalSecrets>,
    stores: Mutex<Stores>,
    targets: Mutex<Targets>,
    namespaces: Mutex<Namespaces>,
    inputs: Mutex<Inputs>,
}

impl Mirror {
    pub(crate) fn external_secrets(&self) -> MutexGuard<'_, ExternalSecrets> {
        locked(&self.external_secrets)
    }

    pub(crate) fn push_secrets(&self) -> MutexGuard<'_, PushSecrets> {
        locked(&self.push_secrets)
    }

    pub(crate) fn cluster_external_secrets(&self) -> MutexGuard<'_, ClusterExternalSecrets> {
        locked(&self.cluster_external_secrets)
    }

    pub(crate) fn stores(&self) -> MutexGuard<'_, Stores> {
        locked(&self.stores)
    }

    pub(crate) fn targets(&self) -> MutexGuard<'_, Targets> {
        locked(&self.targets)
    }

    pub(crate) fn inputs(&self) -> MutexGuard<'_, Inputs> {
        locked(&self.inputs)
    }

    pub(crate) fn namespaces(&self) -> MutexGuard<'_, Namespaces> {
        locked(&self.namespaces)
    }
}

/// A panic while a row was written leaves at worst one stale row; the watch mends it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
