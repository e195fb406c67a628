//! How a reconcile of a PushSecret ended: what the queue, the metrics and the index need to know.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::failure::Failure;
use crate::next_run::NextRun;

/// How a reconcile ended.
#[derive(Clone, Debug, PartialEq)]
pub struct PushOutcome {
    /// When to reconcile next.
    pub next: NextRun,
    /// The push that happened.
    pub refreshed: Option<Timestamp>,
    /// Whether the Ready condition changed.
    pub condition_changed: bool,
    /// What failed, where something did.
    pub failure: Option<Failure>,
    /// Names of the Secrets that its labels matched, where it reads by labels.
    pub matched: Option<BTreeSet<String>>,
    /// The reconcile that first missed something in the source, while its deletion waits.
    pub doomed_since: Option<Timestamp>,
}

impl PushOutcome {
    /// Nothing happened but that the next time is known.
    pub fn next(next: NextRun) -> Self {
        Self {
            next,
            refreshed: None,
            condition_changed: false,
            failure: None,
            matched: None,
            doomed_since: None,
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
