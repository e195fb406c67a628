//! Collects what a reconcile of a store knows before it decides: its row, and whether a PushSecret needs it.

use lockstep_index::Index;
use lockstep_plan::StoreKey;
use lockstep_plan::store::StoreObserved;

/// Collects it; `None` when the store is gone.
pub(super) fn observe(index: &Index, key: &StoreKey) -> Option<StoreObserved> {
    let store = index.stores().get(key)?;
    let pushes = index.push_secrets();
    let needed = pushes.is_listed().then(|| pushes.need(&store.view));
    drop(pushes);
    Some(StoreObserved { store, needed })
}
