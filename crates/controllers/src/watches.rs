//! Watches feed the index, and its wakes feed the queues. The only place where an event of
//! the cluster becomes work.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::core::PartialObjectMeta;
use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore};
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_remote::StoreRecord;
use lockstep_runtime::watch::Change;

use crate::gate::Gate;
use crate::shared::Shared;
use crate::{callers, cluster_watches, inputs, push_watches};
use lockstep_index::ObjectKey;
use lockstep_index::{Child, InputKind, Labels, RowChange, StoreChange, TargetChange};

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
            Change::Reset => shared.index.external_secrets().begin_list(),
            Change::Applied(object) => {
                let now = shared.now();
                let inputs = inputs::of_object(&object);
                let child = Child::of(&object.metadata);
                let (key, touch) = shared.index.external_secrets().apply(object, now);
                cluster_watches::saw_child(&shared, &key, child, touch);
                if touch != RowChange::Same {
                    inputs::follow_object(&shared, &key, inputs);
                    shared.queues.external_secrets.fresh(key);
                }
            }
            Change::Deleted(object) => {
                let key = lockstep_index::external_secret_key(&object);
                shared.index.external_secrets().remove(&key);
                forget_object(&shared, &key);
            }
            Change::Synced => {
                let gone = shared.index.external_secrets().end_list();
                for key in &gone {
                    forget_object(&shared, key);
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
    let mut listed = true;
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => {
                listed = true;
                shared.index.targets().begin_list();
            }
            Change::Applied(secret) => {
                inputs::saw(&shared, &InputKind::Secret, &secret.metadata, listed);
                let salt = shared.settings().salt;
                let (key, sight) = shared.index.targets().apply(secret, &salt);
                match sight {
                    TargetChange::Known => {}
                    TargetChange::Drifted => target_drifted(&shared, &key),
                    TargetChange::Touched => wake_writers(&shared, &key),
                }
            }
            Change::Deleted(secret) => {
                let key = shared.index.targets().gone(&secret);
                inputs::gone(&shared, &InputKind::Secret, &key);
                wake_writers(&shared, &key);
            }
            Change::Synced => {
                listed = false;
                let gone = shared.index.targets().end_list();
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
            Change::Reset => shared.index.stores().begin_list(kind),
            Change::Applied(store) => saw_store(&shared, store.into()),
            Change::Deleted(store) => forget_store(&shared, &store.into().key),
            Change::Synced => {
                let gone = shared.index.stores().end_list(kind);
                for key in &gone {
                    forget_store(&shared, key);
                }
                gate.open();
            }
            Change::Invalid(_) => {}
        }
    }
}

/// Namespaces: new labels may admit an ExternalSecret to a cluster store, or select the namespace for
/// a ClusterExternalSecret.
pub(crate) async fn namespaces(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<PartialObjectMeta<Namespace>>>,
    gate: Gate,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Applied(namespace) => {
                let name = namespace.metadata.name.clone().unwrap_or_default();
                let touch = shared.index.namespaces().apply(namespace.metadata);
                if touch.awaited {
                    // Runs may have begun without a full list and refused its objects.
                    namespace_changed(&shared, &name);
                }
                if !gate.is_open() {
                    continue;
                }
                if touch.labels && !touch.awaited {
                    namespace_changed(&shared, &name);
                }
                if touch.labels || touch.life {
                    let now = shared.index.namespaces().labels(&name);
                    let labels: Vec<Labels> = touch.before.into_iter().chain(now).collect();
                    cluster_watches::namespace_changed(&shared, &name, &labels);
                }
            }
            Change::Deleted(namespace) => {
                let name = namespace.metadata.name.unwrap_or_default();
                let labels = shared.index.namespaces().remove(&name);
                cluster_watches::namespace_changed(&shared, &name, labels.as_slice());
            }
            Change::Reset => shared.index.namespaces().begin_list(),
            Change::Synced => {
                shared.index.namespaces().end_list();
                gate.open();
            }
            Change::Invalid(_) => {}
        }
    }
}

/// Takes a store from its watch.
fn saw_store(shared: &Shared, record: StoreRecord) {
    let (key, touch) = shared.index.stores().apply(record);
    store_touched(shared, key, touch);
}

/// A store is another one than it was: it, and who uses it, run as far as that matters to them.
pub(crate) fn store_touched(shared: &Shared, key: StoreKey, touch: StoreChange) {
    if touch.run {
        // Before anyone is woken: whoever runs now had better wait for what the check says.
        let (mut stores, now) = (shared.index.stores(), shared.now());
        stores.check_asked(&key, now);
        if touch.new_spec {
            stores.spec_changed(&key, now);
        }
    }
    if touch.wakes_users() {
        let waiting = shared.index.external_secrets().waiting_on(&key);
        wake(shared, waiting);
        push_watches::wake_waiting(shared, &key);
    }
    if touch.new_spec {
        refresh_users(shared, &key);
    }
    if touch.deleting {
        push_watches::store_deleting(shared, &key);
    }
    if touch.new_spec || touch.became_ready {
        push_watches::store_changed(shared, &key);
    }
    if touch.run {
        check_store(shared, key);
    }
}

/// Sends a store to a run.
pub(crate) fn check_store(shared: &Shared, key: StoreKey) {
    match key.kind {
        StoreKind::SecretStore => shared.queues.secret_stores.fresh(key),
        StoreKind::ClusterSecretStore => shared.queues.cluster_stores.fresh(key),
    }
}

/// Runs everyone who reads through a changed store, spread so that the store is not flooded.
fn refresh_users(shared: &Shared, store: &StoreKey) {
    // What was learned through the old spec no longer counts; the users run in any case.
    shared.reads.forget(store);
    shared.index.inputs().remove_store(store);
    shared.sharing.leave_store(store);
    let users = shared
        .index
        .external_secrets()
        .store_changed(store, shared.now());
    run_spread(shared, users);
}

/// The credentials of a store changed, for the callers of one namespace or for all: connections are
/// made anew, the store is checked, and whoever reads through it runs.
pub(crate) fn credential_changed(shared: &Shared, store: &StoreKey, caller: Option<&str>) {
    shared.reads.reconnect(store);
    let users = shared
        .index
        .external_secrets()
        .store_changed(store, shared.now());
    let concerned = |key: &ObjectKey| caller.is_none_or(|caller| key.namespace() == caller);
    run_spread(shared, users.into_iter().filter(concerned).collect());
    push_watches::wake_waiting(shared, store);
    check_store(shared, store.clone());
}

fn run_spread(shared: &Shared, users: Vec<ObjectKey>) {
    let mut at = shared.now();
    for key in users {
        shared.queues.external_secrets.due(key, at);
        at = at.saturating_add(BETWEEN_USERS).unwrap_or(at);
    }
}

fn forget_store(shared: &Shared, key: &StoreKey) {
    shared.index.stores().remove(key);
    shared.reads.forget(key);
    shared.deletions.forget(key);
    shared.index.inputs().remove_store(key);
    let users = shared.sharing.leave_store(key);
    shared.look_again(users);
    match key.kind {
        StoreKind::SecretStore => shared.queues.secret_stores.remove(key),
        StoreKind::ClusterSecretStore => shared.queues.cluster_stores.remove(key),
    }
}

/// Runs the ExternalSecrets that write a target of this name.
pub(crate) fn wake_writers(shared: &Shared, target: &ObjectKey) {
    let (writers, now) = (
        shared.index.external_secrets().writers_of(target),
        shared.now(),
    );
    for key in writers {
        shared.index.external_secrets().ask(&key, now, false);
        shared.index.external_secrets().target_changed(&key);
        shared.queues.external_secrets.fresh(key);
    }
}

/// Somebody else changed a target in a way that waits for the next refresh. Shared reads alone would
/// never repair it: that refresh has to be a run.
pub(crate) fn target_drifted(shared: &Shared, target: &ObjectKey) {
    let writers = shared.index.external_secrets().writers_of(target);
    for key in &writers {
        shared.index.external_secrets().target_changed(key);
    }
    shared.look_again(writers);
}

fn forget_object(shared: &Arc<Shared>, key: &ObjectKey) {
    inputs::follow_object(shared, key, BTreeSet::new());
    shared.queues.external_secrets.remove(key);
    shared.sharing.leave(key);
    shared.floor.forget(key);
    shared.deletions.gone(key);
    callers::object_gone(shared, key.namespace());
    cluster_watches::lost_child(shared, key);
}

/// New labels: who waits may be admitted now, and who shares reads may be shut out.
fn namespace_changed(shared: &Shared, name: &str) {
    let (waiting, ready) = shared.index.external_secrets().in_namespace(name);
    wake(shared, waiting);
    push_watches::namespace_changed(shared, name);
    let alone = ready.into_iter().filter(|key| shared.sharing.leave(key));
    shared.look_again(alone.collect());
}

/// Runs objects again whose earlier failures no longer count.
fn wake(shared: &Shared, keys: Vec<ObjectKey>) {
    let now = shared.now();
    for key in keys {
        shared.index.external_secrets().ask(&key, now, false);
        shared.queues.external_secrets.reset_backoff(&key);
        shared.queues.external_secrets.fresh(key);
    }
}
