//! How a reconcile ended that leaves nothing behind but its next time: stores, fan-outs, generator states.

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
