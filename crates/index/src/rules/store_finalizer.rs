//! The finalizer of stores: a store is requeued when what PushSecrets need of it changed. Whether the
//! finalizer is right is decided in `lockstep-plan`.

use std::sync::Arc;

use lockstep_plan::StoreKind;
use lockstep_plan::push_secret::StoreUses;
use lockstep_plan::store::{StoreRecord, has_finalizer, settle_finalizer};

use crate::index::Index;
use crate::wake::{Queued, Trigger, Wakes};

impl Index {
    /// Requeues stores whose finalizer a change of a PushSecret made wrong. Before all PushSecrets are
    /// known nothing can be said.
    pub(super) fn finalizers_changed(
        &self,
        before: Option<&StoreUses>,
        after: Option<&StoreUses>,
    ) -> Wakes {
        let mut wakes = Wakes::default();
        if before.is_none() && after.is_none() || !self.push_secrets().is_listed() {
            return wakes;
        }
        for store in self.all_stores() {
            let needs = |uses: Option<&StoreUses>| uses.is_some_and(|uses| uses.needs(&store.view));
            let missing = needs(after) && !has_finalizer(&store.metadata) && !store.view.deleting;
            let idle = || needs(before) && !needs(after) && has_finalizer(&store.metadata);
            // A store that is being deleted names those it waits for in its condition.
            let holders_changed = store.view.deleting && needs(before) != needs(after);
            if missing || holders_changed || idle() && !self.push_secrets().need(&store.view) {
                wakes.now(Queued::Store(store.key.clone()), Trigger::FinalizerChanged);
            }
        }
        wakes
    }

    /// Requeues every store whose finalizer is not right, once all PushSecrets are known.
    pub(super) fn all_finalizers(&self) -> Wakes {
        let mut wakes = Wakes::default();
        for store in self.all_stores() {
            let needed = self.push_secrets().need(&store.view);
            if settle_finalizer(&store.metadata, needed).is_some() {
                wakes.now(Queued::Store(store.key.clone()), Trigger::FinalizerChanged);
            }
        }
        wakes
    }

    fn all_stores(&self) -> Vec<Arc<StoreRecord>> {
        let stores = self.stores();
        let kinds = [StoreKind::SecretStore, StoreKind::ClusterSecretStore];
        let all = kinds.into_iter().flat_map(|kind| stores.of_kind(kind));
        all.cloned().collect()
    }
}
