//! One ExternalSecret as the mirror keeps it: the object, packed unless its reconcile goes on, and what runs
//! left behind that its status does not tell. Knows nothing of other objects.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};

use super::freshness::Age;
use super::links::Links;
use crate::rows::packed::Packed;
use crate::rows::seen::version;

/// One ExternalSecret.
pub struct Row {
    kept: Kept,
    version: u64,
    pub(super) trigger: u64,
    pub(super) links: Links,
    /// Status of the Ready condition, where there is one.
    pub ready: Option<bool>,
    /// What the metrics endpoint exports for this object.
    pub tally: Tally,
    pub(super) age: Age,
    /// What earlier runs left in memory.
    pub(super) memory: Memory,
}

/// An object as its row keeps it.
pub(super) enum Kept {
    Packed(Packed),
    /// As it came: its reconcile goes on and may write it again.
    Open(Box<ExternalSecret>),
}

impl Kept {
    pub(super) fn packed(object: ExternalSecret) -> Self {
        Self::Packed(Packed::of(&object))
    }

    pub(super) fn open(object: ExternalSecret) -> Self {
        Self::Open(Box::new(object))
    }
}

/// What is known of an object beside the object itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// The last refresh, which the status may not tell.
    pub refreshed: Option<Timestamp>,
    /// Whether an unlabelled Secret of the target's name is waited for.
    pub awaits_target: bool,
    /// Changes of what it reads from, counted.
    pub changes: u32,
    /// The count its last sync knew of.
    pub(super) followed: u32,
    /// Changes that others made to its target, counted.
    pub(super) drifts: u32,
    /// The count its last sync knew of.
    pub(super) repaired: u32,
    /// Whether the Ready condition holds.
    pub ready: bool,
    /// When it was last asked to run: answers to reads that began earlier are too old.
    pub asked: Timestamp,
}

/// What a reconcile leaves in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncNote {
    /// Its duration in nanoseconds.
    pub nanos: u64,
    /// Whether it failed.
    pub failed: bool,
    /// The refresh that happened.
    pub refreshed: Option<Timestamp>,
    /// Whether an unlabelled Secret of the target's name is waited for.
    pub awaits_target: bool,
}

impl Memory {
    /// Whether something it reads from changed since its last sync.
    pub fn inputs_changed(&self) -> bool {
        self.changes != self.followed
    }

    /// Whether others changed its target since its last sync.
    pub fn target_changed(&self) -> bool {
        self.drifts != self.repaired
    }
}

impl Row {
    /// A row for an object that was not there before; it takes the object next.
    pub(super) fn new(trigger: u64, links: Links) -> Self {
        Self {
            kept: Kept::Packed(Packed::default()),
            version: 0,
            trigger,
            links,
            ready: None,
            tally: Tally::default(),
            age: Age::default(),
            memory: Memory::default(),
        }
    }

    /// The object as last seen.
    pub(super) fn object(&self) -> Option<ExternalSecret> {
        match &self.kept {
            Kept::Packed(packed) => packed.open(),
            Kept::Open(object) => Some(ExternalSecret::clone(object)),
        }
    }

    #[cfg(test)]
    pub(super) fn is_packed(&self) -> bool {
        matches!(self.kept, Kept::Packed(_))
    }

    /// Whether this version of the object, or a later one, is the row's. One without a number never is.
    pub(super) fn has(&self, version: u64) -> bool {
        version < self.version || version == self.version && version != 0
    }

    /// Records a reconcile that began with this memory. Changes stay news until a sync followed them.
    pub(super) fn note_run(&mut self, note: &SyncNote, began: &Memory) {
        let tally = &mut self.tally;
        tally.runs = tally.runs.saturating_add(1);
        tally.errors = tally.errors.saturating_add(note.failed.into());
        tally.last_nanos = note.nanos;
        let memory = &mut self.memory;
        if note.refreshed.is_some() {
            memory.followed = began.changes;
            memory.repaired = began.drifts;
        }
        memory.refreshed = note.refreshed.or(memory.refreshed);
        memory.awaits_target = note.awaits_target;
        if let Kept::Open(object) = &self.kept {
            self.kept = Kept::Packed(Packed::of(object));
        }
    }

    /// Labels of the object.
    pub fn labels(&self) -> BTreeMap<String, String> {
        let labels = self.object().and_then(|object| object.metadata.labels);
        labels.unwrap_or_default()
    }

    /// Takes a newer version of the object that refers to the same things.
    pub(super) fn refresh(&mut self, object: ExternalSecret, keep: fn(ExternalSecret) -> Kept) {
        self.version = version(&object.metadata);
        self.ready = ready(&object);
        self.age = Age::of(&object);
        self.kept = keep(object);
    }
}

/// Counters of one object since the process started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub runs: u32,
    pub errors: u32,
    pub last_nanos: u64,
}

fn ready(object: &ExternalSecret) -> Option<bool> {
    let conditions = &object.status.as_ref()?.conditions;
    Condition::find(conditions, READY).map(Condition::is_true)
}
