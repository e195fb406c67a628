//! The floor under refresh intervals and who was warned of it, behind locks. `lockstep-scheduling`
//! decides.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_index::ObjectKey;
use lockstep_scheduling::floor::{Refresh, RefreshFloor};
use parking_lot::Mutex;

/// Shortest time between two refreshes, but for bursts.
pub(crate) const FLOOR: Duration = Duration::from_secs(10);
/// Objects whose warning is remembered; beyond, all may be warned again.
const MOST_WARNED: usize = 10_000;

/// The floor and who was warned of it.
pub(crate) struct Floor {
    machine: Mutex<RefreshFloor>,
    /// Generation for which an object was warned.
    warned: Mutex<BTreeMap<ObjectKey, i64>>,
}

impl Default for Floor {
    fn default() -> Self {
        Self {
            machine: Mutex::new(RefreshFloor::new(FLOOR)),
            warned: Mutex::default(),
        }
    }
}

impl Floor {
    /// Forgets an object that is gone.
    pub(crate) fn forget(&self, key: &ObjectKey) {
        let mut warned = self.warned.lock();
        warned.remove(key);
    }

    /// Whether a generation of an object is warned of for the first time.
    pub(crate) fn is_news(&self, key: &ObjectKey, generation: i64) -> bool {
        let mut warned = self.warned.lock();
        if warned.len() >= MOST_WARNED {
            warned.clear();
        }
        warned.insert(key.clone(), generation) != Some(generation)
    }

    pub(crate) fn refresh(&self, key: &ObjectKey, last: Timestamp, now: Timestamp) -> Refresh {
        let namespace = key.class(None).namespace;
        let mut machine = self.machine.lock();
        machine.refresh(namespace, last, now)
    }
}
