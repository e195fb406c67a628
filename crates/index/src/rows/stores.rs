//! Rows of SecretStores and ClusterSecretStores. There are few of them, so they are kept typed.
//! Decides which watch events are worth a run of the store and of its users.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind};

use super::inputs::Reader;
use super::relist::Relist;

/// How long the users of a store wait for the end of a check before they call it not ready.
const PATIENCE: SignedDuration = SignedDuration::from_secs(2);

/// What an event meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about one event, and any of them may hold"
)]
pub struct StoreChange {
    /// The store itself must be looked at.
    pub run: bool,
    /// It is ready and was not.
    pub became_ready: bool,
    /// Its spec is another one: what was read through it may be out of date.
    pub new_spec: bool,
    /// It is being deleted and was not.
    pub deleting: bool,
}

impl StoreChange {
    /// Whether objects that wait for the store should try again.
    pub fn wakes_users(self) -> bool {
        self.run || self.became_ready
    }
}

/// Stores of one kind or of both, by key.
#[derive(Default)]
pub struct Stores {
    rows: BTreeMap<StoreKey, Arc<StoreRecord>>,
    relist: BTreeMap<StoreKind, Relist<StoreKey>>,
    checks: BTreeMap<StoreKey, Check>,
    /// Stores whose next sight counts as another spec, whatever its generation.
    distrusted: BTreeSet<StoreKey>,
}

/// A check that was asked for and has not ended.
struct Check {
    asked: Timestamp,
    /// Whether the condition is about another spec than the one that is being checked.
    new_spec: bool,
    /// Who wants to know how it ends.
    held: BTreeSet<Reader>,
}

impl Stores {
    /// Takes a store from the watch.
    pub fn apply(&mut self, mut row: StoreRecord) -> (StoreKey, StoreChange) {
        let key = row.key.clone();
        let relist = self.relist.get_mut(&key.kind);
        let listed_anew = relist.is_some_and(|relist| relist.saw(&key));
        let distrusted = self.distrusted.remove(&key);
        let touch = match self.rows.get(&key) {
            None => StoreChange {
                run: true,
                became_ready: false,
                new_spec: false,
                deleting: false,
            },
            // Answers to our own writes overtake the watch; a new list counts in any case.
            Some(old) if !listed_anew && !distrusted && is_older(&row.metadata, &old.metadata) => {
                return (key, StoreChange::default());
            }
            Some(old) => {
                row.last_nanos = old.last_nanos;
                let changed = differs(&old.metadata, &row.metadata) || is_wiped(old, &row);
                let became_ready = row.view.is_open() && !old.view.is_open();
                let deleting = row.view.deleting && !old.view.deleting;
                // The API server counts a deletion as a generation, but the spec is the same.
                let edited = old.view.generation != row.view.generation && !deleting;
                StoreChange {
                    run: changed || distrusted,
                    became_ready,
                    deleting,
                    new_spec: distrusted || old.view.uid != row.view.uid || edited,
                }
            }
        };
        self.rows.insert(key.clone(), Arc::new(row));
        (key, touch)
    }

    /// Says that generations no longer tell one spec from another: after a restore of etcd they are
    /// counted again from an earlier one.
    pub fn distrust(&mut self) {
        self.distrusted = self.rows.keys().cloned().collect();
    }

    /// Takes the answer to our own write. A store that was deleted meanwhile stays out.
    pub fn answered(&mut self, row: StoreRecord) -> Option<(StoreKey, StoreChange)> {
        self.rows.contains_key(&row.key).then(|| self.apply(row))
    }

    /// Takes a store out.
    pub fn remove(&mut self, key: &StoreKey) -> bool {
        self.checks.remove(key);
        self.distrusted.remove(key);
        self.rows.remove(key).is_some()
    }

    /// A new list of one kind begins.
    pub fn begin_list(&mut self, kind: StoreKind) {
        let known = self.rows.keys().filter(|key| key.kind == kind).cloned();
        self.relist.entry(kind).or_default().begin(known);
    }

    /// The list is complete; returns what is gone.
    pub fn end_list(&mut self, kind: StoreKind) -> Vec<StoreKey> {
        let gone = self.relist.entry(kind).or_default().end();
        for key in &gone {
            self.remove(key);
        }
        gone.into_iter().collect()
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// A store as last seen.
    pub fn get(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.rows.get(key).cloned()
    }

    /// Stores of one kind, in order.
    pub fn of_kind(&self, kind: StoreKind) -> impl Iterator<Item = &Arc<StoreRecord>> {
        self.rows.values().filter(move |row| row.key.kind == kind)
    }

    /// Notes that a store is about to be checked.
    pub fn check_asked(&mut self, key: &StoreKey, now: Timestamp) {
        self.check(key, now);
    }

    /// Notes that a store is about to be checked because its spec is another one.
    pub fn spec_changed(&mut self, key: &StoreKey, now: Timestamp) {
        self.check(key, now).new_spec = true;
    }

    fn check(&mut self, key: &StoreKey, now: Timestamp) -> &mut Check {
        let check = self.checks.entry(key.clone());
        check.or_insert_with(|| Check {
            asked: now,
            new_spec: false,
            held: BTreeSet::new(),
        })
    }

    /// Notes that a check has ended and its result is known; returns who waited for it.
    pub fn check_ended(&mut self, key: &StoreKey) -> BTreeSet<Reader> {
        let check = self.checks.remove(key);
        check.map(|check| check.held).unwrap_or_default()
    }

    /// Whether any store is being checked: rarely, so most runs need not look closer.
    pub fn any_checked(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Holds a user back while a store of its is just being checked and is not ready, or was ready
    /// with another spec: what it would tell or read may be wrong a moment later. Returns until when
    /// at most.
    pub fn hold(
        &mut self,
        user: &Reader,
        stores: &[StoreKey],
        now: Timestamp,
    ) -> Option<Timestamp> {
        for store in stores {
            let row = self.rows.get(store);
            let unready = row.is_some_and(|row| !row.view.is_open());
            let awaited = |check: &&mut Check| unready || check.new_spec;
            let Some(check) = self.checks.get_mut(store).filter(awaited) else {
                continue;
            };
            let until = check.asked.saturating_add(PATIENCE).unwrap_or(now);
            if check.asked <= now && now < until {
                check.held.insert(user.clone());
                return Some(until);
            }
        }
        None
    }

    /// Notes how long a check took.
    pub fn note_run(&mut self, key: &StoreKey, nanos: u64) {
        if let Some(row) = self.rows.get_mut(key) {
            Arc::make_mut(row).last_nanos = nanos;
        }
    }
}

/// Whether `new` is an earlier state of the same object than `old`.
fn is_older(new: &ObjectMeta, old: &ObjectMeta) -> bool {
    let version = |meta: &ObjectMeta| meta.resource_version.as_ref()?.parse::<u64>().ok();
    let versions = version(new).zip(version(old));
    versions.is_some_and(|(new, old)| new < old)
}

/// Whether somebody took away what a check had said.
fn is_wiped(old: &StoreRecord, new: &StoreRecord) -> bool {
    let told = old.status.capabilities.is_some();
    old.ready().is_some() && new.ready().is_none()
        || told && old.status.capabilities != new.status.capabilities
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

#[cfg(test)]
mod tests;
