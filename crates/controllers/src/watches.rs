//! Watches feed the mirror, and the mirror's news feed the queues. The only place where an event of
//! the cluster becomes work.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::core::PartialObjectMeta;
use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore};
use lockstep_engine::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_runtime::watch::Change;

use crate::gate::Gate;
use crate::key::ObjectKey;
use crate::mirror::Touch;
use crate::shared::Shared;

/// Time between the runs of two users of something that changed.
const BETWEEN_USERS: SignedDuration = SignedDuration::from_millis(2);

/// ExternalSecrets: whatever changed runs.
pub(crate) async fn external_secrets(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<ExternalSecret>>,
    gate: Gate,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => shared.mirror.external_secrets().begin_list(),
            Change::Applied(object) => {
                let (key, touch) = shared.mirror.external_secrets().apply(object);
                if touch != Touch::Same {
                    shared.queues.external_secrets.fresh(key);
                }
            }
            Change::Deleted(object) => {
                let key = crate::mirror::external_secret_key(&object);
                shared.mirror.external_secrets().remove(&key);
                shared.queues.external_secrets.remove(&key);
                shared.sources.forget(&key);
            }
            Change::Synced => {
                for key in shared.mirror.external_secrets().end_list() {
                    shared.queues.external_secrets.remove(&key);
                    shared.sources.forget(&key);
                }
                gate.open();
            }
            Change::Invalid(_) => {}
        }
    }
}

/// Managed Secrets: one that is not as it was written, or is gone, needs its ExternalSecret.
pub(crate) async fn targets(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<Secret>>,
    gate: Gate,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => shared.mirror.targets().begin_list(),
            Change::Applied(secret) => {
                let salt = shared.settings().salt;
                let (key, touched) = shared.mirror.targets().apply(secret, &salt);
                if touched {
                    wake_writers(&shared, &key);
                }
            }
            Change::Deleted(secret) => {
                let key = crate::mirror::secret_key(&secret);
                shared.mirror.targets().remove(&key);
                wake_writers(&shared, &key);
            }
            Change::Synced => {
                let gone = shared.mirror.targets().end_list();
                for key in &gone {
                    wake_writers(&shared, key);
                }
                gate.open();
            }
            Change::Invalid(_) => {}
        }
    }
}

/// SecretStores.
pub(crate) async fn secret_stores(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<SecretStore>>,
    gate: Gate,
) {
    stores(shared, StoreKind::SecretStore, changes, gate).await;
}

/// ClusterSecretStores.
pub(crate) async fn cluster_stores(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<ClusterSecretStore>>,
    gate: Gate,
) {
    stores(shared, StoreKind::ClusterSecretStore, changes, gate).await;
}

async fn stores<K: Into<StoreRecord>>(
    shared: Arc<Shared>,
    kind: StoreKind,
    changes: impl Stream<Item = Change<K>>,
    gate: Gate,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => shared.mirror.stores().begin_list(kind),
            Change::Applied(store) => saw_store(&shared, store.into()),
            Change::Deleted(store) => forget_store(&shared, &store.into().key),
            Change::Synced => {
                let gone = shared.mirror.stores().end_list(kind);
                for key in &gone {
                    forget_store(&shared, key);
                }
                gate.open();
            }
            Change::Invalid(_) => {}
        }
    }
}

/// Namespaces: new labels may admit an ExternalSecret to a cluster store.
pub(crate) async fn namespaces(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<PartialObjectMeta<Namespace>>>,
    gate: Gate,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Applied(namespace) => {
                let name = namespace.metadata.name.unwrap_or_default();
                let labels: BTreeMap<_, _> = namespace.metadata.labels.unwrap_or_default();
                let news = shared.mirror.namespaces().apply(name.clone(), labels);
                if news && gate.is_open() {
                    let waiting = shared.mirror.external_secrets().waiting_in(&name);
                    wake(&shared, waiting);
                }
            }
            Change::Deleted(namespace) => {
                let name = namespace.metadata.name.unwrap_or_default();
                shared.mirror.namespaces().remove(&name);
            }
            Change::Synced => gate.open(),
            Change::Reset | Change::Invalid(_) => {}
        }
    }
}

/// Takes a store from its watch or from the answer to our own write.
pub(crate) fn saw_store(shared: &Shared, record: StoreRecord) {
    let (key, touch) = shared.mirror.stores().apply(record);
    if touch.wake_users {
        let waiting = shared.mirror.external_secrets().waiting_on(&key);
        wake(shared, waiting);
    }
    if touch.new_spec {
        let users = shared.mirror.external_secrets().store_users(&key);
        refresh(shared, users);
    }
    if touch.run {
        match key.kind {
            StoreKind::SecretStore => shared.queues.secret_stores.fresh(key),
            StoreKind::ClusterSecretStore => shared.queues.cluster_stores.fresh(key),
        }
    }
}

/// Refreshes objects something of which they read from changed, spread so that no store is flooded.
pub(crate) fn refresh(shared: &Shared, users: Vec<ObjectKey>) {
    let mut at = shared.now();
    for key in users {
        if shared.mirror.external_secrets().inputs_changed(&key) {
            shared.queues.external_secrets.due(key, at);
            at = at.saturating_add(BETWEEN_USERS).unwrap_or(at);
        } else {
            shared.sources.forget(&key);
        }
    }
}

fn forget_store(shared: &Shared, key: &StoreKey) {
    shared.mirror.stores().remove(key);
    shared.connections.drop_store(key);
    match key.kind {
        StoreKind::SecretStore => shared.queues.secret_stores.remove(key),
        StoreKind::ClusterSecretStore => shared.queues.cluster_stores.remove(key),
    }
}

/// Runs the ExternalSecrets that write a target of this name.
pub(crate) fn wake_writers(shared: &Shared, target: &ObjectKey) {
    let writers = shared.mirror.external_secrets().writers_of(target);
    for key in writers {
        shared.queues.external_secrets.fresh(key);
    }
}

/// Runs objects again whose earlier failures no longer count.
fn wake(shared: &Shared, keys: Vec<ObjectKey>) {
    for key in keys {
        shared.queues.external_secrets.forgive(&key);
        shared.queues.external_secrets.fresh(key);
    }
}
