//! When objects run: the queues, and the state machines of `lockstep-scheduling` beside them, behind locks.
//! Holds state and decides nothing.

mod deletions;
mod floor;
mod queues;
mod shared_reads;

use jiff::Timestamp;
use lockstep_index::ObjectKey;

pub(crate) use deletions::Deletions;
pub(crate) use floor::{FLOOR, Floor};
pub(crate) use queues::Queues;
pub(crate) use shared_reads::SharedReads;

/// Queues and state machines.
pub(crate) struct Schedule {
    pub(crate) queues: Queues,
    /// Reads that keep objects fresh.
    pub(crate) shared_reads: SharedReads,
    /// Shortest time between refreshes.
    pub(crate) floor: Floor,
    /// Absences that may hold deletions.
    pub(crate) deletions: Deletions,
}

impl Schedule {
    pub(crate) fn new(queues: Queues, deletions: Deletions) -> Self {
        Self {
            queues,
            shared_reads: SharedReads::default(),
            floor: Floor::default(),
            deletions,
        }
    }

    /// Requeues objects that no shared read keeps fresh any longer.
    pub(crate) fn refresh_alone(&self, keys: Vec<ObjectKey>, now: Timestamp) {
        for key in keys {
            self.queues.external_secrets.due(key, now);
        }
    }

    /// Drops what is kept of an ExternalSecret that is gone.
    pub(crate) fn forget_external_secret(&self, key: &ObjectKey) {
        self.queues.external_secrets.remove(key);
        self.shared_reads.leave(key);
        self.floor.forget(key);
        self.deletions.gone(key);
    }
}
