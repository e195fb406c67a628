//! Carries out what follows from events: requeues objects and drops what is kept of those that are
//! gone. Which objects these are is decided in `lockstep-index`.

use std::hash::Hash;

use lockstep_index::{Event, Queued, Requeue, Wake, Wakes, When};
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_runtime::dispatch::Handle;

use crate::shared::{Queues, Shared};

impl Shared {
    /// Takes an event of a watch into the index and carries out what follows.
    pub(crate) fn apply(&self, event: Event) {
        self.carry_out(self.index.apply(event, self.now()));
    }

    /// Carries out what follows from an event, in order.
    pub(crate) fn carry_out(&self, wakes: Wakes) {
        for wake in wakes {
            match wake {
                Wake::Requeue(requeue) => self.queues.requeue(requeue),
                Wake::Forget(object) => self.forget(object),
                Wake::WatchInput(kind) => self.inputs.want(kind),
                Wake::LeaveSharedReads(key) => {
                    if self.sharing.leave(&key) {
                        self.look_again(vec![key]);
                    }
                }
                Wake::DropReads(store) => {
                    self.reads.forget(&store);
                    self.sharing.leave_store(&store);
                }
                Wake::Reconnect(store) => self.reads.reconnect(&store),
            }
        }
    }

    fn forget(&self, object: Queued) {
        match object {
            Queued::ExternalSecret(key) => {
                self.queues.external_secrets.remove(&key);
                self.sharing.leave(&key);
                self.floor.forget(&key);
                self.deletions.gone(&key);
            }
            Queued::PushSecret(key) => self.queues.push_secrets.remove(&key),
            Queued::Store(key) => {
                self.reads.forget(&key);
                self.deletions.forget(&key);
                let users = self.sharing.leave_store(&key);
                self.look_again(users);
                self.queues.stores(&key).remove(&key);
            }
            Queued::ClusterExternalSecret(name) => {
                self.queues.cluster_external_secrets.remove(&name);
            }
            Queued::ClusterPushSecret(name) => self.queues.cluster_push_secrets.remove(&name),
        }
    }
}

impl Queues {
    fn requeue(&self, requeue: Requeue) {
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
        }
    }

    fn stores(&self, key: &StoreKey) -> &Handle<StoreKey> {
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
