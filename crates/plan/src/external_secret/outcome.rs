//! How a reconcile of an ExternalSecret ended: what the queue, the metrics and the index need to know.

use jiff::Timestamp;

use crate::failure::Failure;
use crate::next_run::NextRun;

/// How a reconcile ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncOutcome {
    /// When to reconcile next.
    pub next: NextRun,
    /// The refresh that happened, to be kept in memory.
    pub refreshed: Option<Timestamp>,
    /// When the last refresh is to be noted in the status next.
    pub note_at: Option<Timestamp>,
    /// Whether a Secret of the target's name that appears without our label matters.
    pub awaits_target: bool,
    /// Whether the Ready condition changed: worth a log line.
    pub condition_changed: bool,
    /// Whether no condition could be written that would report the failure.
    pub condition_not_written: bool,
    /// The failure, for logs and the error counter.
    pub failure: Option<Failure>,
}

impl SyncOutcome {
    /// Nothing happened but that the next time is known.
    pub fn next(next: NextRun) -> Self {
        Self {
            next,
            refreshed: None,
            note_at: None,
            awaits_target: false,
            condition_changed: false,
            condition_not_written: false,
            failure: None,
        }
    }

    /// The same with a failure.
    #[must_use]
    pub fn failed(self, failure: Failure) -> Self {
        Self {
            failure: Some(failure),
            ..self
        }
    }
}
