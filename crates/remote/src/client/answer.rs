//! The answer to one shared read, and the part of it that one caller asked for. The bytes of its values
//! count as held until the last caller drops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use lockstep_provider_api::{Error, Payload, Read, Result, SharedStore};

use crate::identity::GroupKey;

/// The outcome of one read.
pub struct Answer {
    /// Which read.
    pub group: Arc<GroupKey>,
    /// When it started.
    pub read_at: Timestamp,
    /// Fingerprint of the outcome.
    pub fingerprint: u64,
    /// Whether the outcome says something about the secret. A throttle or an outage does not.
    pub conclusive: bool,
    pub(super) outcome: Result<Payload>,
    pub(super) _bytes: HeldBytes,
}

impl Answer {
    /// The error, where the read failed.
    pub fn error(&self) -> Option<&Error> {
        self.outcome.as_ref().err()
    }
}

/// What one caller of a shared read gets.
pub struct ReadReply {
    /// The shared read.
    pub answer: Arc<Answer>,
    /// The part that was asked for; values are shared, not copied.
    pub outcome: Result<Payload>,
}

impl ReadReply {
    /// Extracts what `asked` wants; `None` wants all of the answer.
    pub(super) fn new(answer: Arc<Answer>, asked: Option<&Read>, store: &SharedStore) -> Self {
        let outcome = match (&answer.outcome, asked) {
            (outcome, Some(read)) => store.extract_from(read, outcome),
            (Ok(payload), None) => Ok(payload.clone()),
            (Err(error), None) => Err(error.duplicate()),
        };
        Self { answer, outcome }
    }
}

/// Bytes that count as held until this is dropped.
pub(super) struct HeldBytes {
    total: Arc<AtomicUsize>,
    own: usize,
}

impl HeldBytes {
    pub(super) fn new(total: &Arc<AtomicUsize>, own: usize) -> Self {
        total.fetch_add(own, Ordering::Relaxed);
        Self {
            total: Arc::clone(total),
            own,
        }
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.total.fetch_sub(self.own, Ordering::Relaxed);
    }
}
