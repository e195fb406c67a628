//! How a run ended: what the scheduler, the metrics and the shared reads are to know of it.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_plan::external_secret::{NextRun, Observed, shared_interval};
use lockstep_plan::{Failure, Settings};
use lockstep_remote::GroupKey;
use lockstep_scheduling::groups::Taken;

use crate::world::WorldError;

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// When to run next.
    pub next: NextRun,
    /// The refresh that happened.
    pub refreshed: Option<Timestamp>,
    /// Whether an unlabelled Secret of the target's name is waited for.
    pub awaits_target: bool,
    /// What failed, where something did.
    pub failure: Option<Failure>,
    /// Whether the Ready condition changed.
    pub condition_changed: bool,
    /// Whether no condition could be written that would tell of the failure.
    pub untold: bool,
    /// The reads that keep the object fresh from now on, where they can.
    pub shares: Option<Shares>,
    /// When the last refresh is to be noted in the status next.
    pub note_at: Option<Timestamp>,
}

/// Shared reads an object depends on, and on nothing else that time would change.
#[derive(Debug)]
pub struct Shares {
    /// How old its values may become.
    pub interval: Duration,
    /// What it synced from.
    pub reads: Vec<Taken<GroupKey>>,
}

impl Outcome {
    pub(super) fn next(next: NextRun) -> Self {
        Self {
            next,
            refreshed: None,
            awaits_target: false,
            failure: None,
            condition_changed: false,
            untold: false,
            shares: None,
            note_at: None,
        }
    }
    /// What follows when the object itself could not be written. It has no condition then; the log
    /// and the error counter tell.
    pub(super) fn unwritten(error: &WorldError) -> Self {
        match error {
            WorldError::NotFound => Self::next(NextRun::OnChange),
            WorldError::Conflict(_) | WorldError::AlreadyExists => Self::next(NextRun::Backoff),
            WorldError::Failed(text) => Self {
                failure: Some(not_updated(text)),
                untold: true,
                ..Self::next(NextRun::Backoff)
            },
        }
    }

    /// Adds the reads that keep the object fresh, if its run succeeded and time changes nothing else.
    pub(super) fn with_shares(
        self,
        observed: &Observed<'_>,
        reads: Option<Vec<Taken<GroupKey>>>,
        settings: &Settings,
    ) -> Self {
        let synced = self.refreshed.is_some() && !self.awaits_target;
        let interval = shared_interval(observed.object, settings).filter(|_| synced);
        let shares = interval.zip(reads.filter(|reads| !reads.is_empty()));
        Self {
            shares: shares.map(|(interval, reads)| Shares { interval, reads }),
            ..self
        }
    }
}

/// The object was not written.
pub(super) fn not_updated(text: &str) -> Failure {
    Failure::api("could not update the ExternalSecret", text.to_owned())
}
