//! What becomes work for PushSecrets: their own changes, and those of sources, stores, template
//! sources and namespaces. Objects run; whether they push is decided in `lockstep-plan`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use jiff::SignedDuration;
use lockstep_api::PushSecret;
use lockstep_plan::{StoreKey, StoreView};
use lockstep_runtime::watch::Change;

use crate::shared::Shared;
use crate::{callers, inputs, store_finalizer};
use lockstep_index::ObjectKey;
use lockstep_index::{PushSecrets, RowChange, push_secret_key};

/// Time between the runs of two users of a store that changed.
const BETWEEN_USERS: SignedDuration = SignedDuration::from_millis(2);

/// PushSecrets: whatever changed runs.
pub(crate) async fn push_secrets(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<PushSecret>>,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => shared.index.push_secrets().begin_list(),
            Change::Applied(object) => {
                let inputs = inputs::of_push(&object);
                let (key, touch) = noting_stores(&shared, &push_secret_key(&object), |rows| {
                    rows.apply(object)
                });
                if touch != RowChange::Same {
                    inputs::follow_push(&shared, &key, inputs);
                    shared.queues.push_secrets.fresh(key);
                }
            }
            Change::Deleted(object) => {
                let key = push_secret_key(&object);
                noting_stores(&shared, &key, |rows| rows.remove(&key));
                forget(&shared, &key);
            }
            Change::Synced => {
                let gone = shared.index.push_secrets().end_list();
                for key in &gone {
                    forget(&shared, key);
                }
                shared.pushes_listed.open();
                store_finalizer::check_all(&shared);
            }
            Change::Invalid(_) => {}
        }
    }
}

/// Takes the answer to our own write; `None` when the object was deleted meanwhile.
pub(crate) fn answered(shared: &Shared, object: PushSecret) -> Option<(ObjectKey, RowChange)> {
    let key = push_secret_key(&object);
    noting_stores(shared, &key, |rows| rows.answered(object))
}

/// Changes the row of an object and sends stores to a run whose finalizer is no longer right then.
fn noting_stores<T>(
    shared: &Shared,
    key: &ObjectKey,
    change: impl FnOnce(&mut PushSecrets) -> T,
) -> T {
    let mut rows = shared.index.push_secrets();
    let before = rows.keeps_stores(key);
    let changed = change(&mut rows);
    let after = rows.keeps_stores(key);
    drop(rows);
    store_finalizer::changed(shared, before.as_ref(), after.as_ref());
    changed
}

fn forget(shared: &Arc<Shared>, key: &ObjectKey) {
    inputs::follow_push(shared, key, BTreeSet::new());
    shared.queues.push_secrets.remove(key);
    callers::object_gone(shared, key.namespace());
}

/// Runs an object because something it reads from changed.
pub(crate) fn input_changed(shared: &Shared, key: ObjectKey) {
    tracing::debug!(push_secret = %key, "an input changed");
    shared.index.push_secrets().input_changed(&key);
    shared.queues.push_secrets.reset_backoff(&key);
    shared.queues.push_secrets.fresh(key);
}

/// A Secret changed, or is gone: who reads it by labels runs.
pub(crate) fn secret_changed(
    shared: &Shared,
    secret: &ObjectKey,
    labels: Option<&BTreeMap<String, String>>,
) {
    let readers = shared.index.push_secrets().selecting(secret, labels);
    for key in readers {
        input_changed(shared, key);
    }
}

/// A store works otherwise than before: everyone who pushes to it runs, spread so that it is not
/// flooded.
pub(crate) fn store_changed(shared: &Shared, store: &StoreKey) {
    let Some(view) = view(shared, store) else {
        return;
    };
    let users = shared.index.push_secrets().users_of(&view);
    let mut at = shared.now();
    for key in users {
        shared.index.push_secrets().input_changed(&key);
        shared.queues.push_secrets.due(key, at);
        at = at.saturating_add(BETWEEN_USERS).unwrap_or(at);
    }
}

/// A store is being deleted: everyone who pushes to it tells that nothing is pushed any more.
pub(crate) fn store_deleting(shared: &Shared, store: &StoreKey) {
    if let Some(view) = view(shared, store) {
        let users = shared.index.push_secrets().users_of(&view);
        wake(shared, users);
    }
}

/// Runs those who wait for a store.
pub(crate) fn wake_waiting(shared: &Shared, store: &StoreKey) {
    if let Some(view) = view(shared, store) {
        let waiting = shared.index.push_secrets().waiting_on(&view);
        wake(shared, waiting);
    }
}

/// New labels of a namespace: who waits there may be admitted now.
pub(crate) fn namespace_changed(shared: &Shared, namespace: &str) {
    let waiting = shared.index.push_secrets().waiting_in(namespace);
    wake(shared, waiting);
}

fn wake(shared: &Shared, keys: Vec<ObjectKey>) {
    for key in keys {
        shared.queues.push_secrets.reset_backoff(&key);
        shared.queues.push_secrets.fresh(key);
    }
}

fn view(shared: &Shared, store: &StoreKey) -> Option<Arc<StoreView>> {
    let record = shared.index.stores().get(store)?;
    Some(Arc::clone(&record.view))
}
