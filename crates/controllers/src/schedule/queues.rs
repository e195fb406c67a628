//! The queues of all controllers, and how an object is put into its own.

use std::hash::Hash;

use lockstep_index::{ObjectKey, Queued, Requeue, When};
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_runtime::dispatch::Handle;

/// Queues of the controllers.
pub(crate) struct Queues {
    pub(crate) external_secrets: Handle<ObjectKey>,
    pub(crate) push_secrets: Handle<ObjectKey>,
    pub(crate) secret_stores: Handle<StoreKey>,
    pub(crate) cluster_stores: Handle<StoreKey>,
    /// By name.
    pub(crate) cluster_external_secrets: Handle<String>,
    /// By name.
    pub(crate) cluster_push_secrets: Handle<String>,
    pub(crate) generator_states: Handle<ObjectKey>,
}

impl Queues {
    /// Puts an object into its queue.
    pub(crate) fn requeue(&self, requeue: Requeue) {
        let Requeue {
            object,
            when,
            reset_backoff,
            trigger,
        } = requeue;
        tracing::debug!(?object, ?trigger, "requeued");
        let how = (when, reset_backoff);
        match object {
            Queued::ExternalSecret(key) => put(&self.external_secrets, key, how),
            Queued::PushSecret(key) => put(&self.push_secrets, key, how),
            Queued::Store(key) => put(self.stores(&key), key, how),
            Queued::ClusterExternalSecret(name) => {
                put(&self.cluster_external_secrets, name, how);
            }
            Queued::ClusterPushSecret(name) => put(&self.cluster_push_secrets, name, how),
            Queued::GeneratorState(key) => put(&self.generator_states, key, how),
        }
    }

    /// The queue of a store.
    pub(crate) fn stores(&self, key: &StoreKey) -> &Handle<StoreKey> {
        match key.kind {
            StoreKind::SecretStore => &self.secret_stores,
            StoreKind::ClusterSecretStore => &self.cluster_stores,
        }
    }
}

fn put<K: Ord + Clone + Hash>(queue: &Handle<K>, key: K, (when, reset_backoff): (When, bool)) {
    if reset_backoff {
        queue.reset_backoff(&key);
    }
    match when {
        When::Now => queue.fresh(key),
        When::At(at) => queue.due(key, at),
    }
}
