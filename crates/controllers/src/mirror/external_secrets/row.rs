//! One ExternalSecret as the mirror keeps it: the object packed, and what runs left behind that its
//! status does not tell. Knows nothing of other objects.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};
use lockstep_reconcile::external_secret::Outcome;

use super::freshness::Age;
use super::links::Links;
use crate::mirror::packed::Packed;
use crate::mirror::seen::version;

/// One ExternalSecret.
pub(crate) struct Row {
    pub(super) packed: Packed,
    pub(super) version: u64,
    pub(super) trigger: u64,
    pub(super) links: Links,
    /// Status of the Ready condition, where there is one.
    pub(crate) ready: Option<bool>,
    /// What the metrics endpoint tells of this object.
    pub(crate) tally: Tally,
    pub(super) age: Age,
    /// What earlier runs left in memory.
    pub(super) memory: Memory,
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
    pub(super) followed: u32,
    /// Changes that others made to its target, counted.
    pub(super) drifts: u32,
    /// The count its last sync knew of.
    pub(super) repaired: u32,
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
    /// A row for an object that was not there before.
    pub(super) fn new(object: &ExternalSecret, trigger: u64, links: Links) -> Self {
        let mut row = Self {
            packed: Packed::default(),
            version: 0,
            trigger,
            links,
            ready: None,
            tally: Tally::default(),
            age: Age::default(),
            memory: Memory::default(),
        };
        row.refresh(object);
        row
    }

    /// Notes what a run did that began with this memory. Changes are news until a sync followed them.
    pub(super) fn note_run(&mut self, nanos: u64, outcome: &Outcome, began: &Memory) {
        let tally = &mut self.tally;
        tally.runs = tally.runs.saturating_add(1);
        tally.errors = tally
            .errors
            .saturating_add(outcome.failure.is_some().into());
        tally.last_nanos = nanos;
        let memory = &mut self.memory;
        if outcome.refreshed.is_some() {
            memory.followed = began.changes;
            memory.repaired = began.drifts;
        }
        memory.refreshed = outcome.refreshed.or(memory.refreshed);
        memory.awaits_target = outcome.awaits_target;
    }

    /// Labels of the object.
    pub(crate) fn labels(&self) -> BTreeMap<String, String> {
        let object: Option<ExternalSecret> = self.packed.open();
        object
            .and_then(|object| object.metadata.labels)
            .unwrap_or_default()
    }

    /// Takes a newer version of the object that refers to the same things.
    pub(super) fn refresh(&mut self, object: &ExternalSecret) {
        self.packed = Packed::of(object);
        self.version = version(&object.metadata);
        self.ready = ready(object);
        self.age = Age::of(object);
    }
}

/// Counters of one object since the process started.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u32,
    pub(crate) errors: u32,
    pub(crate) last_nanos: u64,
}

fn ready(object: &ExternalSecret) -> Option<bool> {
    let conditions = &object.status.as_ref()?.conditions;
    Condition::find(conditions, READY).map(Condition::is_true)
}
