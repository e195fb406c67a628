//! The deletion guard of the process, behind a lock. When to hold deletions is decided in
//! `lockstep-scheduling`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_scheduling::deletion::{Guard, Sight};
use parking_lot::{Mutex, MutexGuard};

/// The guard, if it is on.
pub(crate) struct Deletions(Option<Mutex<Guard<StoreKey, ObjectKey>>>);

impl Deletions {
    pub(crate) fn new(on: bool) -> Self {
        Self(on.then(Mutex::default))
    }

    /// Stores whose deletions are held, with the number of absent objects.
    pub(crate) fn held(&self) -> Vec<(StoreKey, usize)> {
        let Some(guard) = self.locked() else {
            return Vec::new();
        };
        let held = guard.held();
        held.map(|(store, absent)| (store.clone(), absent))
            .collect()
    }

    /// Forgets an object's absence: its secrets are there.
    pub(crate) fn present(&self, key: &ObjectKey, stores: &[StoreKey], now: Timestamp) {
        if let Some(mut guard) = self.locked() {
            for store in stores {
                if guard.present(store, key, now) {
                    tracing::info!(%store, "deletions are no longer held: secrets are back");
                }
            }
        }
    }

    /// Forgets an object that is gone.
    pub(crate) fn gone(&self, key: &ObjectKey) {
        if let Some(mut guard) = self.locked() {
            guard.gone(key);
        }
    }

    /// Whether nothing is absent: the usual case, in which nothing has to be looked up.
    pub(crate) fn is_idle(&self) -> bool {
        self.locked().is_none_or(|guard| guard.is_empty())
    }

    /// Forgets a store.
    pub(crate) fn forget(&self, store: &StoreKey) {
        if let Some(mut guard) = self.locked() {
            guard.forget(store);
        }
    }

    pub(crate) fn sampled(&self, store: &StoreKey, key: &ObjectKey, sight: Sight, now: Timestamp) {
        if let Some(mut guard) = self.locked() {
            guard.sampled(store, key, sight, now);
        }
    }

    pub(crate) fn sample_ended(&self, store: &StoreKey) -> BTreeSet<ObjectKey> {
        let guard = self.locked();
        guard.map_or_else(BTreeSet::new, |mut guard| guard.sample_ended(store))
    }

    pub(crate) fn locked(&self) -> Option<MutexGuard<'_, Guard<StoreKey, ObjectKey>>> {
        let guard = self.0.as_ref()?;
        Some(guard.lock())
    }
}
