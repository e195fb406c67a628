//! Collects what a reconcile of a store knows before it decides: its row, whether a PushSecret needs it, and
//! which of them its deletion waits for.

use lockstep_index::Index;
use lockstep_plan::StoreKey;
use lockstep_plan::store::{StoreObserved, has_finalizer};

/// Collects it; `None` when the store is gone.
pub(super) fn observe(index: &Index, key: &StoreKey) -> Option<StoreObserved> {
    let store = index.stores().get(key)?;
    let pushes = index.push_secrets();
    let needed = pushes.is_listed().then(|| pushes.need(&store.view));
    let mut holders = Vec::new();
    if store.view.deleting && has_finalizer(&store.metadata) {
        holders = pushes.needing(&store.view);
        holders.sort();
    }
    drop(pushes);
    Some(StoreObserved {
        store,
        needed,
        holders,
    })
}
