//! Rows of SecretStores and ClusterSecretStores. There are few of them, so they are kept typed.
//! Decides which watch events are worth a run of the store and of its users.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_engine::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind};

use super::relist::Relist;

/// What an event meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreTouch {
    /// The store itself must be looked at.
    pub(crate) run: bool,
    /// Objects that wait for it should try again.
    pub(crate) wake_users: bool,
    /// Its spec is another one: what was read through it may be out of date.
    pub(crate) new_spec: bool,
}

/// Stores of one kind or of both, by key.
#[derive(Default)]
pub(crate) struct Stores {
    rows: BTreeMap<StoreKey, Arc<StoreRecord>>,
    relist: BTreeMap<StoreKind, Relist<StoreKey>>,
}

impl Stores {
    /// Takes a store from the watch.
    pub(crate) fn apply(&mut self, mut row: StoreRecord) -> (StoreKey, StoreTouch) {
        let key = row.key.clone();
        if let Some(relist) = self.relist.get_mut(&key.kind) {
            relist.saw(&key);
        }
        let touch = match self.rows.get(&key) {
            None => StoreTouch {
                run: true,
                wake_users: true,
                new_spec: false,
            },
            Some(old) => {
                row.last_nanos = old.last_nanos;
                let changed = differs(&old.metadata, &row.metadata);
                let became_ready = row.ready() == Some(true) && old.ready() != Some(true);
                StoreTouch {
                    run: changed,
                    wake_users: changed || became_ready,
                    new_spec: old.view.uid != row.view.uid
                        || old.view.generation != row.view.generation,
                }
            }
        };
        self.rows.insert(key.clone(), Arc::new(row));
        (key, touch)
    }

    /// Takes a store out.
    pub(crate) fn remove(&mut self, key: &StoreKey) -> bool {
        self.rows.remove(key).is_some()
    }

    /// A new list of one kind begins.
    pub(crate) fn begin_list(&mut self, kind: StoreKind) {
        let known = self.rows.keys().filter(|key| key.kind == kind).cloned();
        self.relist.entry(kind).or_default().begin(known);
    }

    /// The list is complete; returns what is gone.
    pub(crate) fn end_list(&mut self, kind: StoreKind) -> Vec<StoreKey> {
        let gone = self.relist.entry(kind).or_default().end();
        for key in &gone {
            self.remove(key);
        }
        gone.into_iter().collect()
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A store as last seen.
    pub(crate) fn get(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.rows.get(key).cloned()
    }

    /// Stores of one kind, in order.
    pub(crate) fn of_kind(&self, kind: StoreKind) -> impl Iterator<Item = &Arc<StoreRecord>> {
        self.rows.values().filter(move |row| row.key.kind == kind)
    }

    /// Notes how long a check took.
    pub(crate) fn note_run(&mut self, key: &StoreKey, nanos: u64) {
        if let Some(row) = self.rows.get_mut(key) {
            Arc::make_mut(row).last_nanos = nanos;
        }
    }
}

/// Whether something other than status changed.
fn differs(old: &ObjectMeta, new: &ObjectMeta) -> bool {
    old.uid != new.uid
        || old.generation != new.generation
        || old.labels != new.labels
        || old.annotations != new.annotations
        || old.finalizers != new.finalizers
        || old.deletion_timestamp != new.deletion_timestamp
}
