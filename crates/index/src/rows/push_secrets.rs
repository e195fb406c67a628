//! Rows of PushSecrets: the object packed, the stores it has to do with, and what the last run said
//! of it. Decides which watch events are worth a run; starts none itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::Timestamp;
use kube::core::{Selector, SelectorExt};
use lockstep_api::PushSecret;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::keys::FINALIZER_PUSH_SECRET;
use lockstep_plan::push_secret::{SourceRef, StoreUses, source};
use lockstep_plan::{StoreKey, StoreKind, StoreView, selector};
use lockstep_scheduling::slots::Claim;

use super::RowChange;
use super::packed::Packed;
use super::relist::{ListState, Relist};
use super::seen::{number_of, trigger, version};
use crate::key::ObjectKey;

/// One PushSecret.
pub struct Row {
    packed: Packed,
    version: u64,
    trigger: u64,
    uses: StoreUses,
    selector: Option<Selector>,
    /// Secrets its labels matched at the last run.
    matched: BTreeSet<String>,
    /// Status of the Ready condition, where there is one.
    pub ready: Option<bool>,
    /// Duration of the last run, for the metrics endpoint.
    pub last_nanos: u64,
    memory: Memory,
}

/// What is known of an object beside the object itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// The last push, which the status may not tell.
    pub refreshed: Option<Timestamp>,
    /// Changes of what it reads from, counted.
    pub changes: u32,
    /// The count its last push knew of.
    followed: u32,
    /// The run that first missed something in its source, while the deletion of it waits.
    pub doomed_since: Option<Timestamp>,
}

/// What a reconcile leaves in memory.
#[derive(Clone, Debug, Default)]
pub struct PushNote {
    /// Its duration in nanoseconds.
    pub nanos: u64,
    /// The push that happened.
    pub refreshed: Option<Timestamp>,
    /// The reconcile that first missed something in the source, while its deletion waits.
    pub doomed_since: Option<Timestamp>,
    /// Names of the Secrets that its labels matched, where it reads by labels.
    pub matched: Option<BTreeSet<String>>,
}

impl Memory {
    /// Whether something it reads from changed since its last push.
    pub fn inputs_changed(&self) -> bool {
        self.changes != self.followed
    }
}

impl Row {
    fn of(object: &PushSecret, trigger: u64) -> Self {
        let selector = match source(object) {
            Some(SourceRef::Labelled(labels)) => selector::compile(labels).ok(),
            _ => None,
        };
        let mut row = Self {
            packed: Packed::default(),
            version: 0,
            trigger,
            uses: StoreUses::default(),
            selector,
            matched: BTreeSet::new(),
            ready: None,
            last_nanos: 0,
            memory: Memory::default(),
        };
        row.refresh(object);
        row
    }

    fn refresh(&mut self, object: &PushSecret) {
        self.packed = Packed::of(object);
        self.version = version(&object.metadata);
        self.uses = StoreUses::of(object);
        let status = object.status.as_ref();
        self.ready = status
            .and_then(|status| Condition::find(&status.conditions, READY))
            .map(Condition::is_true);
    }

    /// Labels of the object.
    pub fn labels(&self) -> BTreeMap<String, String> {
        let object: Option<PushSecret> = self.packed.open();
        object
            .and_then(|object| object.metadata.labels)
            .unwrap_or_default()
    }
}

/// All PushSecrets.
#[derive(Default)]
pub struct PushSecrets {
    rows: BTreeMap<ObjectKey, Row>,
    relist: Relist<ObjectKey>,
    list: ListState,
}

impl PushSecrets {
    /// Takes an object from the watch. What is older than the row is passed over, because answers to
    /// writes overtake the watch; a new list counts in any case.
    pub fn apply(&mut self, mut object: PushSecret) -> (ObjectKey, RowChange) {
        object.metadata.managed_fields = None;
        let key = ObjectKey::of(&object.metadata);
        let listed_anew = self.relist.saw(&key);
        let trigger = trigger(&object.metadata, FINALIZER_PUSH_SECRET);
        let Some(row) = self.rows.get_mut(&key) else {
            self.rows.insert(key.clone(), Row::of(&object, trigger));
            return (key, RowChange::New);
        };
        if !listed_anew && version(&object.metadata) < row.version {
            return (key, RowChange::Same);
        }
        if row.trigger == trigger {
            row.refresh(&object);
            return (key, RowChange::Same);
        }
        *row = Row {
            matched: std::mem::take(&mut row.matched),
            last_nanos: row.last_nanos,
            memory: row.memory,
            ..Row::of(&object, trigger)
        };
        (key, RowChange::Changed)
    }

    /// Takes the answer to our own write. An object that was deleted meanwhile stays out.
    pub fn answered(&mut self, object: PushSecret) -> Option<(ObjectKey, RowChange)> {
        let known = self.rows.contains_key(&ObjectKey::of(&object.metadata));
        known.then(|| self.apply(object))
    }

    /// Takes an object out.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.rows.remove(key);
    }

    /// A new list begins.
    pub fn begin_list(&mut self) {
        self.relist.begin(self.rows.keys().cloned());
    }

    /// The list is complete; returns what is gone.
    pub fn end_list(&mut self) -> BTreeSet<ObjectKey> {
        self.list = ListState::Complete;
        let gone = self.relist.end();
        for key in &gone {
            self.remove(key);
        }
        gone
    }

    /// Whether all objects are known: only then may a store be let go.
    pub fn is_listed(&self) -> bool {
        self.list == ListState::Complete
    }

    /// The object for a run, and what is remembered of it.
    pub fn snapshot(&self, key: &ObjectKey) -> Option<(PushSecret, Memory)> {
        let row = self.rows.get(key)?;
        Some((row.packed.open()?, row.memory))
    }

    /// Notes that something an object reads from changed.
    pub fn input_changed(&mut self, key: &ObjectKey) {
        if let Some(row) = self.rows.get_mut(key) {
            row.memory.changes = row.memory.changes.wrapping_add(1);
        }
    }

    /// Records a reconcile that began with this memory. Changes stay news until a push followed them.
    pub fn note_run(&mut self, key: &ObjectKey, note: PushNote, began: &Memory) {
        if let Some(row) = self.rows.get_mut(key) {
            row.last_nanos = note.nanos;
            if note.refreshed.is_some() {
                row.memory.followed = began.changes;
            }
            row.memory.doomed_since = note.doomed_since;
            row.memory.refreshed = note.refreshed.or(row.memory.refreshed);
            if let Some(matched) = note.matched {
                row.matched = matched;
            }
        }
    }

    /// What an object has to do with stores, where it may keep one from being deleted.
    pub fn keeps_stores(&self, key: &ObjectKey) -> Option<StoreUses> {
        let uses = &self.rows.get(key)?.uses;
        uses.keeps_stores().then(|| uses.clone())
    }

    /// The stores an object names.
    pub fn stores_of(&self, key: &ObjectKey) -> Vec<StoreKey> {
        let row = self.rows.get(key);
        row.map(|row| row.uses.named()).unwrap_or_default()
    }

    /// What a run of an object occupies. Objects of one store wait for the same backend.
    pub fn claim(&self, key: &ObjectKey) -> Claim {
        Claim {
            class: key.class(self.stores_of(key).first().map(number_of)),
            target: None,
        }
    }

    /// Whether a store must stay for one of the objects.
    pub fn need(&self, store: &StoreView) -> bool {
        self.near(&store.key).any(|(_, row)| row.uses.needs(store))
    }

    /// Names of those for whom a store must stay.
    pub fn needing(&self, store: &StoreView) -> Vec<String> {
        let rows = self.near(&store.key);
        let needing = rows.filter(|(_, row)| row.uses.needs(store));
        needing.map(|(key, _)| key.to_string()).collect()
    }

    /// Who pushes to a store.
    pub fn users_of(&self, store: &StoreView) -> Vec<ObjectKey> {
        let users = self
            .near(&store.key)
            .filter(|(_, row)| row.uses.pushes_to(store));
        users.map(|(key, _)| key.clone()).collect()
    }

    /// Who pushes to a store, or has something to delete in it, and is not ready.
    pub fn waiting_on(&self, store: &StoreView) -> Vec<ObjectKey> {
        let waiting = self.near(&store.key).filter(|(_, row)| {
            row.ready != Some(true) && (row.uses.pushes_to(store) || row.uses.needs(store))
        });
        waiting.map(|(key, _)| key.clone()).collect()
    }

    /// Who is in a namespace and not ready.
    pub fn waiting_in(&self, namespace: &str) -> Vec<ObjectKey> {
        let rows = self.in_namespace(namespace);
        let waiting = rows.filter(|(_, row)| row.ready != Some(true));
        waiting.map(|(key, _)| key.clone()).collect()
    }

    /// Whether a namespace has any.
    pub fn any_in(&self, namespace: &str) -> bool {
        self.in_namespace(namespace).next().is_some()
    }

    /// Who reads a Secret by labels: those whose labels match it now or did so at their last run.
    pub fn selecting(
        &self,
        secret: &ObjectKey,
        labels: Option<&BTreeMap<String, String>>,
    ) -> Vec<ObjectKey> {
        let none = BTreeMap::new();
        let selecting = self.in_namespace(secret.namespace()).filter(|(_, row)| {
            let selector = row.selector.as_ref();
            selector.is_some_and(|selector| {
                row.matched.contains(secret.name())
                    || labels.is_some() && selector.matches(labels.unwrap_or(&none))
            })
        });
        selecting.map(|(key, _)| key.clone()).collect()
    }

    /// Whether anyone reads Secrets by labels.
    pub fn has_selectors(&self) -> bool {
        self.rows.values().any(|row| row.selector.is_some())
    }

    /// Rows in order of their keys, those behind `key` or all.
    pub fn after(&self, key: Option<&ObjectKey>) -> impl Iterator<Item = (&ObjectKey, &Row)> {
        let start = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.rows.range((start, Bound::Unbounded))
    }

    fn in_namespace(&self, namespace: &str) -> impl Iterator<Item = (&ObjectKey, &Row)> {
        let rows = self.rows.range(ObjectKey::new(namespace, "")..);
        let namespace = namespace.to_owned();
        rows.take_while(move |(key, _)| key.namespace() == namespace)
    }

    /// Rows that may have to do with a store.
    fn near(&self, store: &StoreKey) -> impl Iterator<Item = (&ObjectKey, &Row)> {
        let namespace = match store.kind {
            StoreKind::SecretStore => store.namespace.clone(),
            StoreKind::ClusterSecretStore => None,
        };
        let first = namespace.as_deref().map_or(Bound::Unbounded, |namespace| {
            Bound::Included(ObjectKey::new(namespace, ""))
        });
        let rows = self.rows.range((first, Bound::Unbounded));
        rows.take_while(move |(key, _)| {
            namespace
                .as_deref()
                .is_none_or(|namespace| key.namespace() == namespace)
        })
    }
}

#[cfg(test)]
mod tests;
