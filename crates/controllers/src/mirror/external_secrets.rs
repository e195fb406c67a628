//! Rows of ExternalSecrets: the object packed, what it refers to, and what the last
//! run said of it. Decides which watch events are worth a run; starts none itself.

mod deleted;
mod freshness;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::keys::FINALIZER_EXTERNAL_SECRET;
use lockstep_engine::external_secret::Outcome;
use lockstep_plan::StoreKey;

use super::packed::Packed;
use super::relist::Relist;
use super::seen::{number_of, trigger, version};
use crate::key::ObjectKey;
use deleted::Deleted;

/// One ExternalSecret.
pub(crate) struct Row {
    packed: Packed,
    version: u64,
    trigger: u64,
    stores: Box<[Arc<StoreKey>]>,
    target: Option<ObjectKey>,
    /// Status of the Ready condition, where there is one.
    pub(crate) ready: Option<bool>,
    /// What the metrics endpoint tells of this object.
    pub(crate) tally: Tally,
    age: freshness::Age,
    /// What earlier runs left in memory.
    memory: Memory,
}

/// What is known of an object beside the object itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// The last refresh, which the status may not tell.
    pub(crate) refreshed: Option<Timestamp>,
    /// Whether an unlabelled Secret of the target's name is waited for.
    pub(crate) awaits_target: bool,
    /// Changes of what it reads from, counted.
    pub(crate) changes: u32,
    /// The count its last sync knew of.
    followed: u32,
    /// Changes that others made to its target, counted.
    drifts: u32,
    /// The count its last sync knew of.
    repaired: u32,
    /// Whether the Ready condition holds.
    pub(crate) ready: bool,
    /// When it was last asked to run: answers to reads that began earlier are too old.
    pub(crate) asked: Timestamp,
}

impl Memory {
    /// Whether something it reads from changed since its last sync.
    pub(crate) fn inputs_changed(&self) -> bool {
        self.changes != self.followed
    }

    /// Whether others changed its target since its last sync.
    pub(crate) fn target_changed(&self) -> bool {
        self.drifts != self.repaired
    }
}

impl Row {
    /// Labels of the object.
    pub(crate) fn labels(&self) -> BTreeMap<String, String> {
        let object: Option<ExternalSecret> = self.packed.open();
        object
            .and_then(|object| object.metadata.labels)
            .unwrap_or_default()
    }

    fn refresh(&mut self, object: &ExternalSecret) {
        self.packed = Packed::of(object);
        self.version = version(&object.metadata);
        self.ready = ready(object);
        self.age = freshness::Age::of(object);
    }
}

/// Counters of one object since the process started.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u32,
    pub(crate) errors: u32,
    pub(crate) last_nanos: u64,
}

/// What an event meant for the mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Not seen before.
    New,
    /// Generation, labels, annotations, our finalizer or the deletion mark differ.
    Changed,
    /// Nothing a run would look at differs.
    Same,
}

/// All ExternalSecrets, with reverse lookups by store and by target.
#[derive(Default)]
pub(crate) struct ExternalSecrets {
    rows: BTreeMap<ObjectKey, Row>,
    by_store: BTreeMap<Arc<StoreKey>, BTreeSet<ObjectKey>>,
    /// Only targets whose name is not the ExternalSecret's own.
    by_target: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
    relist: Relist<ObjectKey>,
    deleted: Deleted,
}

impl ExternalSecrets {
    /// Takes an object from the watch. What is older than the row is passed over: answers to writes
    /// overtake the watch.
    pub(crate) fn apply(
        &mut self,
        mut object: ExternalSecret,
        now: Timestamp,
    ) -> (ObjectKey, Touch) {
        object.metadata.managed_fields = None;
        let key = key_of(&object);
        self.relist.saw(&key);
        let trigger = trigger(&object.metadata, FINALIZER_EXTERNAL_SECRET);
        let Some((key, mut row)) = self.rows.remove_entry(&key) else {
            self.deleted.is_there(&key);
            let mut row = self.row(&key, &object, trigger);
            row.memory.asked = now;
            self.rows.insert(key.clone(), row);
            return (key, Touch::New);
        };
        let touch = if version(&object.metadata) < row.version {
            Touch::Same
        } else if row.trigger == trigger {
            row.refresh(&object);
            Touch::Same
        } else {
            self.unlink(&key, &row);
            let (tally, mut memory) = (row.tally, row.memory);
            memory.asked = memory.asked.max(now);
            row = Row {
                tally,
                memory,
                ..self.row(&key, &object, trigger)
            };
            Touch::Changed
        };
        self.rows.insert(key.clone(), row);
        (key, touch)
    }

    /// Takes the answer to our own write. An object that was deleted meanwhile stays out.
    pub(crate) fn answered(
        &mut self,
        object: ExternalSecret,
        now: Timestamp,
    ) -> Option<(ObjectKey, Touch)> {
        let known = self.rows.contains_key(&key_of(&object));
        known.then(|| self.apply(object, now))
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, key: &ObjectKey) -> bool {
        let Some(row) = self.rows.remove(key) else {
            return false;
        };
        self.unlink(key, &row);
        self.deleted.went(key.clone());
        true
    }

    /// Objects deleted since the start, the last thousand of them.
    pub(crate) fn deleted(&self) -> impl Iterator<Item = &ObjectKey> {
        self.deleted.names()
    }

    /// A new list begins.
    pub(crate) fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete; returns what is gone.
    pub(crate) fn end_list(&mut self) -> BTreeSet<ObjectKey> {
        let gone = self.relist.end();
        for key in &gone {
            self.remove(key);
        }
        gone
    }

    /// The object as last seen, and what is remembered of it.
    #[cfg(test)]
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<(ExternalSecret, Memory)> {
        let row = self.rows.get(key)?;
        Some((row.packed.open()?, row.memory))
    }

    /// The object as last seen.
    pub(crate) fn object(&self, key: &ObjectKey) -> Option<ExternalSecret> {
        self.rows.get(key)?.packed.open()
    }

    /// The object for a run, and what is remembered of it.
    pub(crate) fn take(&self, key: &ObjectKey) -> Option<(ExternalSecret, Memory)> {
        let row = self.rows.get(key)?;
        let memory = Memory {
            ready: row.ready == Some(true),
            ..row.memory
        };
        Some((row.packed.open()?, memory))
    }

    /// Notes that an object is asked to run and from when on answers count for it, and whether
    /// something it reads from changed.
    pub(crate) fn ask(&mut self, key: &ObjectKey, asked: Timestamp, input_changed: bool) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.asked = row.memory.asked.max(asked);
            let one = u32::from(input_changed);
            row.memory.changes = row.memory.changes.wrapping_add(one);
        }
    }

    /// Notes that somebody else changed an object's target.
    pub(crate) fn target_changed(&mut self, key: &ObjectKey) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.drifts = row.memory.drifts.wrapping_add(1);
        }
    }

    /// Notes a refresh that shared reads made, for an object that no longer takes part in them.
    pub(crate) fn refreshed(&mut self, key: &ObjectKey, at: Option<Timestamp>) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.refreshed = row.memory.refreshed.max(at);
        }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the object is known.
    pub(crate) fn contains(&self, key: &ObjectKey) -> bool {
        self.rows.contains_key(key)
    }

    /// Notes for everyone who reads through a store that it changed, and returns them.
    pub(crate) fn store_changed(&mut self, store: &StoreKey, now: Timestamp) -> Vec<ObjectKey> {
        let users: Vec<ObjectKey> = self
            .by_store
            .get(store)
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        for key in &users {
            self.ask(key, now, true);
        }
        users
    }

    /// How many read through a store.
    pub(crate) fn users_of(&self, store: &StoreKey) -> usize {
        self.by_store.get(store).map_or(0, BTreeSet::len)
    }

    /// A number for the first store an object names: the same for everyone who names it first.
    pub(crate) fn first_store(&self, key: &ObjectKey) -> Option<u64> {
        let store = self.rows.get(key)?.stores.first()?;
        Some(number_of(store))
    }

    /// The stores an object names.
    pub(crate) fn stores_named(&self, key: &ObjectKey) -> Vec<StoreKey> {
        let stores = self.rows.get(key).into_iter().flat_map(|row| &row.stores);
        stores.map(|store| StoreKey::clone(store)).collect()
    }

    /// The stores an object names, with the number of their users.
    pub(crate) fn stores_of(&self, key: &ObjectKey) -> Vec<(StoreKey, usize)> {
        let named = self.stores_named(key).into_iter();
        named
            .map(|store| {
                let users = self.users_of(&store);
                (store, users)
            })
            .collect()
    }

    /// Who reads through a store and is not ready.
    pub(crate) fn waiting_on(&self, store: &StoreKey) -> Vec<ObjectKey> {
        let users = self.by_store.get(store).into_iter().flatten();
        let waiting = |key: &&ObjectKey| {
            self.rows
                .get(*key)
                .is_some_and(|row| row.ready != Some(true))
        };
        users.filter(waiting).cloned().collect()
    }

    /// Who is in a namespace: those that are not ready, and the others.
    pub(crate) fn in_namespace(&self, namespace: &str) -> (Vec<ObjectKey>, Vec<ObjectKey>) {
        let first = ObjectKey::new(namespace, "");
        let rows = self.rows.range(first..);
        let rows = rows.take_while(|(key, _)| key.namespace() == namespace);
        let keys = rows.map(|(key, row)| (key.clone(), row.ready == Some(true)));
        let (waiting, ready): (Vec<_>, Vec<_>) = keys.partition(|(_, ready)| !ready);
        let names = |rows: Vec<(ObjectKey, bool)>| rows.into_iter().map(|(key, _)| key).collect();
        (names(waiting), names(ready))
    }

    /// Who writes the Secret `target`.
    pub(crate) fn writers_of(&self, target: &ObjectKey) -> Vec<ObjectKey> {
        let mut writers: Vec<ObjectKey> = self
            .by_target
            .get(target)
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        if let Some((own, row)) = self.rows.get_key_value(target)
            && row.target.is_none()
        {
            writers.push(own.clone());
        }
        writers
    }

    /// Notes what a run did that began with this memory. Changes are news until a sync followed them.
    pub(crate) fn note_run(
        &mut self,
        key: &ObjectKey,
        nanos: u64,
        outcome: &Outcome,
        began: &Memory,
    ) {
        if let Some(row) = self.rows.get_mut(key) {
            row.tally.runs = row.tally.runs.saturating_add(1);
            row.tally.errors = row
                .tally
                .errors
                .saturating_add(outcome.failure.is_some().into());
            row.tally.last_nanos = nanos;
            if outcome.refreshed.is_some() {
                row.memory.followed = began.changes;
                row.memory.repaired = began.drifts;
            }
            row.memory.refreshed = outcome.refreshed.or(row.memory.refreshed);
            row.memory.awaits_target = outcome.awaits_target;
        }
    }

    /// Rows in order of their keys, those behind `key` or all.
    pub(crate) fn after(
        &self,
        key: Option<&ObjectKey>,
    ) -> impl Iterator<Item = (&ObjectKey, &Row)> {
        let start = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.rows.range((start, Bound::Unbounded))
    }

    fn row(&mut self, key: &ObjectKey, object: &ExternalSecret, trigger: u64) -> Row {
        let mut row = Row {
            packed: Packed::default(),
            version: 0,
            trigger,
            stores: self.link_stores(key, object),
            target: self.link_target(key, object),
            ready: None,
            tally: Tally::default(),
            age: freshness::Age::default(),
            memory: Memory::default(),
        };
        row.refresh(object);
        row
    }

    fn link_stores(&mut self, key: &ObjectKey, object: &ExternalSecret) -> Box<[Arc<StoreKey>]> {
        let mut linked = Vec::new();
        for store in lockstep_plan::external_secret::store_keys(object) {
            let known = self
                .by_store
                .get_key_value(&store)
                .map(|(known, _)| Arc::clone(known));
            let store = known.unwrap_or_else(|| Arc::new(store));
            self.by_store
                .entry(Arc::clone(&store))
                .or_default()
                .insert(key.clone());
            linked.push(store);
        }
        linked.into_boxed_slice()
    }

    fn link_target(&mut self, key: &ObjectKey, object: &ExternalSecret) -> Option<ObjectKey> {
        let name = object.target_name();
        if name == key.name() {
            return None;
        }
        let target = ObjectKey::new(key.namespace(), name);
        self.by_target
            .entry(target.clone())
            .or_default()
            .insert(key.clone());
        Some(target)
    }

    fn unlink(&mut self, key: &ObjectKey, row: &Row) {
        for store in &row.stores {
            if let Some(users) = self.by_store.get_mut(store) {
                users.remove(key);
                if users.is_empty() {
                    self.by_store.remove(store);
                }
            }
        }
        if let Some(target) = &row.target
            && let Some(writers) = self.by_target.get_mut(target)
        {
            writers.remove(key);
            if writers.is_empty() {
                self.by_target.remove(target);
            }
        }
    }
}

/// Key of an ExternalSecret.
pub(crate) fn key_of(object: &ExternalSecret) -> ObjectKey {
    let meta = &object.metadata;
    ObjectKey::new(
        meta.namespace.as_deref().unwrap_or_default(),
        meta.name.as_deref().unwrap_or_default(),
    )
}

fn ready(object: &ExternalSecret) -> Option<bool> {
    let conditions = &object.status.as_ref()?.conditions;
    Condition::find(conditions, READY).map(Condition::is_true)
}

#[cfg(test)]
mod tests;
