//! The shared reads of all objects, behind a lock. What is due and who is concerned is decided in
//! `lockstep-scheduling`.

use jiff::Timestamp;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_reconcile::external_secret::Shares;
use lockstep_remote::GroupKey;
use lockstep_scheduling::groups::{GroupStats, Groups};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

/// The groups of all objects.
#[derive(Default)]
pub(crate) struct SharedReads {
    groups: Mutex<Groups<GroupKey, ObjectKey>>,
    pub(crate) changed: Notify,
}

impl SharedReads {
    /// Subscribes an object after its run. Returns whether what it synced from is the last word.
    pub(crate) fn subscribe(&self, key: &ObjectKey, shares: Shares) -> bool {
        let Shares { interval, reads } = shares;
        let current = self
            .locked()
            .subscribe(key.clone(), interval, reads, fastrand::f64());
        self.changed.notify_one();
        current
    }

    /// Takes an object out; returns whether it was there.
    pub(crate) fn leave(&self, key: &ObjectKey) -> bool {
        self.locked().unsubscribe(key)
    }

    /// When shared reads last refreshed an object; `None` when it does not take part.
    pub(crate) fn refreshed(&self, key: &ObjectKey) -> Option<Timestamp> {
        self.locked().refreshed(key)
    }

    /// Ends all groups of a store; returns who took part.
    pub(crate) fn leave_store(&self, store: &StoreKey) -> Vec<ObjectKey> {
        let of_store = |group: &GroupKey| group.identity.store == *store;
        self.locked().dissolve_all(of_store)
    }

    /// What is held.
    pub(crate) fn stats(&self) -> GroupStats {
        self.locked().stats()
    }

    pub(crate) fn locked(&self) -> MutexGuard<'_, Groups<GroupKey, ObjectKey>> {
        self.groups.lock()
    }
}
