//! Keys that fail while their store answers for others. Such a key gets a backoff of its own after
//! three failures in a row: one second, doubled with each further failure, 30 seconds at most.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::moment::span;

/// Failures in a row before a key is backed off.
pub(super) const TRIES: u32 = 3;
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Most keys that are remembered; further ones get no backoff of their own.
const MOST: usize = 4_096;
/// A key that nobody asked for so long after its backoff is forgotten, in milliseconds.
const FORGOTTEN: i64 = 600_000;

#[derive(Clone, Copy, Debug)]
struct Failing {
    failures: u32,
    until: i64,
}

/// Failing keys of one store.
#[derive(Clone, Debug, Default)]
pub(super) struct FailingKeys(BTreeMap<u64, Failing>);

impl FailingKeys {
    /// When a key may be asked for again, while that is to come.
    pub(super) fn backoff_until(&self, key: u64, now: i64) -> Option<i64> {
        let until = self.0.get(&key)?.until;
        (until > now).then_some(until)
    }

    pub(super) fn failed(&mut self, key: u64, now: i64) {
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            self.0.retain(|_, known| now - known.until < FORGOTTEN);
            if self.0.len() >= MOST {
                return;
            }
        }
        let known = self.0.entry(key).or_insert(Failing {
            failures: 0,
            until: now,
        });
        known.failures = known.failures.saturating_add(1);
        if let Some(further) = known.failures.checked_sub(TRIES) {
            let wait = SHORTEST.saturating_mul(2_u32.saturating_pow(further));
            known.until = now + span(wait.min(LONGEST));
        }
    }

    pub(super) fn answered(&mut self, key: u64) {
        self.0.remove(&key);
    }

    /// Forgets all of them: the store came back.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Ends all backoffs; the failures stay counted.
    pub(super) fn end_waits(&mut self, now: i64) {
        for known in self.0.values_mut() {
            known.until = now;
        }
    }
}
