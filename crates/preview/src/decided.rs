//! What a run decides before it fetches, in the few words that reports need.

use lockstep_plan::external_secret::{Decision, Ignored};

/// What a run decided before it fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// It is not the operator's.
    Ignored(Ignored),
    /// Nothing is due.
    Idle,
    /// So many reads of stores were made, or would be.
    Fetched { reads: usize },
    /// It is being deleted.
    Released,
    /// It failed before anything was read.
    Failed,
}

impl Decided {
    /// The words for a decision.
    pub(crate) fn of(decision: &Decision) -> Self {
        match decision {
            Decision::Ignore(why) => Self::Ignored(why.clone()),
            Decision::Idle { .. } => Self::Idle,
            Decision::Release(_) => Self::Released,
            Decision::Fail(_) => Self::Failed,
            Decision::Fetch(list) => Self::Fetched {
                reads: list.items.len(),
            },
        }
    }
}
