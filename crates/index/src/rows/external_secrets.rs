//! All ExternalSecrets as last seen. Decides which watch events are worth a run and who is asked when
//! something else changes; starts no run itself.

mod deleted;
mod freshness;
mod links;
mod row;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::keys::FINALIZER_EXTERNAL_SECRET;
use lockstep_plan::StoreKey;
use lockstep_scheduling::slots::Claim;

use super::relist::Relist;
use super::seen::{is_only_claimed, number_of, trigger, version};
use crate::key::ObjectKey;
use deleted::Deleted;
use links::LinkIndex;
use row::Kept;
pub(super) use row::Row;
pub use row::{Memory, SyncNote};

/// What an event meant for the mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// Not seen before.
    New,
    /// Generation, labels, annotations, our finalizer or the deletion mark differ.
    Changed,
    /// Nothing a run would look at differs.
    Same,
}

/// All ExternalSecrets, with reverse lookups by store and by target.
#[derive(Default)]
pub struct ExternalSecrets {
    rows: BTreeMap<ObjectKey, Row>,
    links: LinkIndex,
    relist: Relist<ObjectKey>,
    deleted: Deleted,
}

impl ExternalSecrets {
    /// Takes an object from the watch. What the row has already is passed over, because answers to writes
    /// overtake the watch; a new list counts in any case.
    pub fn apply(&mut self, object: ExternalSecret, now: Timestamp) -> (ObjectKey, RowChange) {
        self.take(object, now, Kept::packed)
    }

    fn take(
        &mut self,
        mut object: ExternalSecret,
        now: Timestamp,
        keep: fn(ExternalSecret) -> Kept,
    ) -> (ObjectKey, RowChange) {
        object.metadata.managed_fields = None;
        let key = ObjectKey::of(&object.metadata);
        let listed_anew = self.relist.saw(&key);
        let trigger = trigger(&object.metadata, FINALIZER_EXTERNAL_SECRET);
        let Some((key, mut row)) = self.rows.remove_entry(&key) else {
            self.deleted.is_there(&key);
            let links = self.links.link(&key, &object);
            let mut row = Row::new(trigger, links);
            row.refresh(object, keep);
            row.memory.asked = now;
            self.rows.insert(key.clone(), row);
            return (key, RowChange::New);
        };
        let touch = if !listed_anew && row.has(version(&object.metadata)) {
            RowChange::Same
        } else if row.trigger == trigger
            || is_only_claimed(&object.metadata, FINALIZER_EXTERNAL_SECRET, row.trigger)
        {
            row.trigger = trigger;
            row.refresh(object, keep);
            RowChange::Same
        } else {
            self.links.unlink(&key, &row.links);
            row.links = self.links.link(&key, &object);
            row.trigger = trigger;
            row.refresh(object, keep);
            row.memory.asked = row.memory.asked.max(now);
            RowChange::Changed
        };
        self.rows.insert(key.clone(), row);
        (key, touch)
    }

    /// Takes the answer to our own write. An object that was deleted meanwhile stays out. It is packed when
    /// its reconcile ends, because another write may follow.
    pub fn answered(
        &mut self,
        object: ExternalSecret,
        now: Timestamp,
    ) -> Option<(ObjectKey, RowChange)> {
        let known = self.rows.contains_key(&ObjectKey::of(&object.metadata));
        known.then(|| self.take(object, now, Kept::open))
    }

    /// Takes an object out.
    pub fn remove(&mut self, key: &ObjectKey) -> bool {
        let Some(row) = self.rows.remove(key) else {
            return false;
        };
        self.links.unlink(key, &row.links);
        self.deleted.went(key.clone());
        true
    }

    /// Objects deleted since the start, the last thousand of them.
    pub fn deleted(&self) -> impl Iterator<Item = &ObjectKey> {
        self.deleted.names()
    }

    /// A new list begins.
    pub fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete; returns what is gone.
    pub fn end_list(&mut self) -> BTreeSet<ObjectKey> {
        let gone = self.relist.end();
        for key in &gone {
            self.remove(key);
        }
        gone
    }

    /// The object as last seen, and what is remembered of it.
    #[cfg(test)]
    pub fn get(&self, key: &ObjectKey) -> Option<(ExternalSecret, Memory)> {
        let row = self.rows.get(key)?;
        Some((row.object()?, row.memory))
    }

    /// The object as last seen.
    pub fn object(&self, key: &ObjectKey) -> Option<ExternalSecret> {
        self.rows.get(key)?.object()
    }

    /// The object for a run, and what is remembered of it.
    pub fn snapshot(&self, key: &ObjectKey) -> Option<(ExternalSecret, Memory)> {
        let row = self.rows.get(key)?;
        let memory = Memory {
            ready: row.ready == Some(true),
            ..row.memory
        };
        Some((row.object()?, memory))
    }

    /// Notes that an object is asked to run and from when on answers count for it, and whether
    /// something it reads from changed.
    pub fn ask(&mut self, key: &ObjectKey, asked: Timestamp, input_changed: bool) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.asked = row.memory.asked.max(asked);
            let one = u32::from(input_changed);
            row.memory.changes = row.memory.changes.wrapping_add(one);
        }
    }

    /// Notes that somebody else changed an object's target.
    pub fn target_changed(&mut self, key: &ObjectKey) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.drifts = row.memory.drifts.wrapping_add(1);
        }
    }

    /// Notes a refresh that shared reads made, for an object that no longer takes part in them.
    pub fn note_refresh(&mut self, key: &ObjectKey, at: Option<Timestamp>) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.refreshed = row.memory.refreshed.max(at);
        }
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Whether the object is known.
    pub fn contains(&self, key: &ObjectKey) -> bool {
        self.rows.contains_key(key)
    }

    /// Notes for everyone who reads through a store that it changed, and returns them.
    pub fn store_changed(&mut self, store: &StoreKey, now: Timestamp) -> Vec<ObjectKey> {
        let users: Vec<ObjectKey> = self.links.users(store).cloned().collect();
        for key in &users {
            self.ask(key, now, true);
        }
        users
    }

    /// How many read through a store.
    pub fn users_of(&self, store: &StoreKey) -> usize {
        self.links.count(store)
    }

    /// What a run of an object occupies. Objects of one store wait for the same backend, and those of one
    /// target write it one after the other.
    pub fn claim(&self, key: &ObjectKey) -> Claim {
        let links = self.rows.get(key).map(|row| &row.links);
        let store = links.and_then(|links| links.stores.first());
        let target = links.and_then(|links| links.target.as_ref());
        Claim {
            class: key.class(store.map(|store| number_of(store.as_ref()))),
            target: Some(number_of(target.unwrap_or(key))),
        }
    }

    /// The stores an object names.
    pub fn stores_named(&self, key: &ObjectKey) -> Vec<StoreKey> {
        let row = self.rows.get(key).into_iter();
        let stores = row.flat_map(|row| &row.links.stores);
        stores.map(|store| StoreKey::clone(store)).collect()
    }

    /// Who reads through a store: those that are ready, and the others.
    pub fn users_by_readiness(&self, store: &StoreKey) -> (Vec<&ObjectKey>, Vec<&ObjectKey>) {
        self.links.users(store).partition(|key| {
            let row = self.rows.get(*key);
            row.is_some_and(|row| row.ready == Some(true))
        })
    }

    /// Who reads through a store and is not ready.
    pub fn waiting_on(&self, store: &StoreKey) -> Vec<ObjectKey> {
        let waiting = |key: &&ObjectKey| {
            self.rows
                .get(*key)
                .is_some_and(|row| row.ready != Some(true))
        };
        self.links.users(store).filter(waiting).cloned().collect()
    }

    /// Who is in a namespace: those that are not ready, and the others.
    pub fn in_namespace(&self, namespace: &str) -> (Vec<ObjectKey>, Vec<ObjectKey>) {
        let first = ObjectKey::new(namespace, "");
        let rows = self.rows.range(first..);
        let rows = rows.take_while(|(key, _)| key.namespace() == namespace);
        let keys = rows.map(|(key, row)| (key.clone(), row.ready == Some(true)));
        let (waiting, ready): (Vec<_>, Vec<_>) = keys.partition(|(_, ready)| !ready);
        let names = |rows: Vec<(ObjectKey, bool)>| rows.into_iter().map(|(key, _)| key).collect();
        (names(waiting), names(ready))
    }

    /// Whether a namespace has any.
    pub fn any_in(&self, namespace: &str) -> bool {
        let next = self.rows.range(ObjectKey::new(namespace, "")..).next();
        next.is_some_and(|(key, _)| key.namespace() == namespace)
    }

    /// Who writes the Secret `target`.
    pub fn writers_of(&self, target: &ObjectKey) -> Vec<ObjectKey> {
        let mut writers: Vec<ObjectKey> = self.links.writers(target).cloned().collect();
        if let Some((own, row)) = self.rows.get_key_value(target)
            && row.links.target.is_none()
        {
            writers.push(own.clone());
        }
        writers
    }

    /// Records a reconcile that began with this memory.
    pub fn note_run(&mut self, key: &ObjectKey, note: &SyncNote, began: &Memory) {
        if let Some(row) = self.rows.get_mut(key) {
            row.note_run(note, began);
        }
    }

    /// Rows in order of their keys, those behind `key` or all.
    pub fn after(&self, key: Option<&ObjectKey>) -> impl Iterator<Item = (&ObjectKey, &Row)> {
        let start = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.rows.range((start, Bound::Unbounded))
    }
}

#[cfg(test)]
mod tests;
