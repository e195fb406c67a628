//! Applies the floor under refresh intervals to shared reads and to runs, and warns once for each
//! generation of an object that the floor holds back. `lockstep-scheduling` decides.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use lockstep_plan::EventNote;
use lockstep_scheduling::floor::{Refresh, RefreshFloor};

use crate::events;
use crate::shared::Shared;
use lockstep_index::ObjectKey;

/// Shortest time between two refreshes, but for bursts.
const FLOOR: Duration = Duration::from_secs(10);
/// Reason of the event.
const REASON: &str = "RefreshIntervalTooShort";
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
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        warned.remove(key);
    }

    /// Whether a generation of an object is warned of for the first time.
    fn is_news(&self, key: &ObjectKey, generation: i64) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.len() >= MOST_WARNED {
            warned.clear();
        }
        warned.insert(key.clone(), generation) != Some(generation)
    }

    fn refresh(&self, key: &ObjectKey, last: Timestamp, now: Timestamp) -> Refresh {
        let namespace = key.class(None).namespace;
        let mut machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        machine.refresh(namespace, last, now)
    }
}

/// Until when a refresh of what was last read at `last` has to wait; `None` where it may be made now.
pub(crate) fn wait_for(
    shared: &Shared,
    key: &ObjectKey,
    last: Timestamp,
    now: Timestamp,
) -> Option<Timestamp> {
    match shared.floor.refresh(key, last, now) {
        Refresh::Now => None,
        Refresh::Later(at) => Some(at),
        Refresh::Floored(at) => {
            warn(shared, key);
            Some(at)
        }
    }
}

/// When an object that was refreshed now and wants its next refresh at `at` may have it.
pub(crate) fn next_refresh(
    shared: &Shared,
    key: &ObjectKey,
    at: Timestamp,
    now: Timestamp,
) -> Timestamp {
    wait_for(shared, key, now, at).unwrap_or(at)
}

/// The same for a PushSecret, whose pushes compare before they write; it is not warned.
pub(crate) fn next_push(
    shared: &Shared,
    key: &ObjectKey,
    at: Timestamp,
    now: Timestamp,
) -> Timestamp {
    match shared.floor.refresh(key, now, at) {
        Refresh::Now => at,
        Refresh::Later(later) | Refresh::Floored(later) => later,
    }
}

fn warn(shared: &Shared, key: &ObjectKey) {
    let Some(object) = shared.index.external_secrets().object(key) else {
        return;
    };
    if shared
        .floor
        .is_news(key, object.metadata.generation.unwrap_or_default())
    {
        let text = format!(
            "spec.refreshInterval is shorter than the floor of {} s, and the namespace has used up its \
             early refreshes; the object is refreshed every {} s",
            FLOOR.as_secs(),
            FLOOR.as_secs()
        );
        let event = EventNote::warning(REASON, text);
        events::about_external_secret(&shared.recorders, &object, &event);
    }
}
