//! How a reconcile of a store, a fan-out or a generator state ended, and what it leaves to its caller.

use lockstep_plan::NextRun;

/// When to reconcile next, and whether this one failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When to reconcile next.
    pub next: NextRun,
    /// Whether it counts as failed.
    pub failed: bool,
}

impl Ended {
    /// It went well.
    pub(crate) fn well(next: NextRun) -> Self {
        Self {
            next,
            failed: false,
        }
    }

    /// It failed.
    pub(crate) fn failed(next: NextRun) -> Self {
        Self { next, failed: true }
    }
}

/// What a reconcile of a store or a fan-out leaves to its caller.
#[derive(Debug)]
pub struct Reconciled<O, R> {
    /// How it ended, once the status is written.
    pub ended: Ended,
    /// The object as it is now, and what is reported of it: events are recorded first, then the status is
    /// written.
    pub report: Option<(O, R)>,
}

impl<O, R> From<Ended> for Reconciled<O, R> {
    fn from(ended: Ended) -> Self {
        Self {
            ended,
            report: None,
        }
    }
}
