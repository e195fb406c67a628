//! Reports what a reconcile applied, and says how it ended: what the queue, the metrics and the shared
//! reads need to know of it.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::{Applied, Observed, note_at, report, shared_interval};
use lockstep_plan::{Failure, Settings};
use lockstep_remote::GroupKey;
use lockstep_scheduling::groups::Taken;

use super::Engine;
use crate::world::{World, WorldError};

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
    /// Whether no condition could be written that would report the failure.
    pub condition_not_written: bool,
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
            condition_not_written: false,
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
                condition_not_written: true,
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

impl<W: World> Engine<'_, W> {
    /// Reports what was applied.
    pub(super) async fn finish(
        &self,
        observed: &Observed<'_>,
        applied: Applied,
        now: Timestamp,
    ) -> Outcome {
        let report = report(observed, applied, self.settings, now);
        for event in report.events {
            self.world.publish(observed.object, event);
        }
        let outcome = Outcome {
            next: report.next,
            refreshed: report.refreshed,
            awaits_target: report.awaits_target,
            failure: report.failure,
            condition_changed: report.condition_changed,
            condition_not_written: false,
            shares: None,
            note_at: report
                .refreshed
                .and_then(|at| note_at(observed.object, report.status.as_ref(), at)),
        };
        let Some(status) = report.status else {
            return outcome;
        };
        match self.world.write_status(observed.object, &status).await {
            Ok(()) => outcome,
            Err(error) => Outcome {
                refreshed: outcome.refreshed,
                ..Outcome::unwritten(&error)
            },
        }
    }
}

/// The object was not written.
pub(super) fn not_updated(text: &str) -> Failure {
    Failure::api("could not update the ExternalSecret", text.to_owned())
}
