//! Reports what a reconcile applied: events, the status, and the reads that keep the object fresh.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_plan::external_secret::{Applied, Observed, SyncOutcome, report, shared_interval};
use lockstep_plan::{Failure, NextRun, Settings};
use lockstep_remote::GroupKey;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_scheduling::groups::Taken;

use super::Reconciler;
use super::world::ExternalSecretWorld;
use crate::failure::api_failure;

/// The outcome of a reconcile, with what keeps the object fresh from now on.
#[derive(Debug)]
pub struct Reconciled {
    /// How it ended.
    pub outcome: SyncOutcome,
    /// The reads that keep the object fresh, where they can.
    pub shares: Option<Shares>,
}

/// Shared reads an object depends on, and on nothing else that time would change.
#[derive(Debug)]
pub struct Shares {
    /// How old its values may become.
    pub interval: Duration,
    /// What it synced from.
    pub reads: Vec<Taken<GroupKey>>,
}

impl From<SyncOutcome> for Reconciled {
    fn from(outcome: SyncOutcome) -> Self {
        Self {
            outcome,
            shares: None,
        }
    }
}

impl Reconciled {
    /// Adds the reads that keep the object fresh, if it was refreshed and time changes nothing else.
    pub(super) fn sharing(
        outcome: SyncOutcome,
        observed: &Observed<'_>,
        reads: Option<Vec<Taken<GroupKey>>>,
        settings: &Settings,
    ) -> Self {
        let synced = outcome.refreshed.is_some() && !outcome.awaits_target;
        let interval = shared_interval(&observed.object, settings).filter(|_| synced);
        let shares = interval.zip(reads.filter(|reads| !reads.is_empty()));
        Self {
            outcome,
            shares: shares.map(|(interval, reads)| Shares { interval, reads }),
        }
    }
}

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Reports what was applied.
    pub(super) async fn report(
        &self,
        observed: &Observed<'_>,
        applied: Applied,
        now: Timestamp,
    ) -> SyncOutcome {
        let report = report(observed, applied, self.settings, now);
        for event in report.events {
            self.world.publish(&observed.object, event);
        }
        let Some(status) = report.status else {
            return report.outcome;
        };
        match self.world.write_status(&observed.object, &status).await {
            Ok(()) => report.outcome,
            Err(error) => SyncOutcome {
                refreshed: report.outcome.refreshed,
                ..unwritten(&error)
            },
        }
    }
}

/// What follows when the object itself could not be written. It has no condition then; the log and the
/// error counter tell.
pub(super) fn unwritten(error: &ApiError) -> SyncOutcome {
    if error.is(ApiErrorKind::NotFound) {
        return SyncOutcome::next(NextRun::OnChange);
    }
    let again = SyncOutcome::next(NextRun::Backoff);
    if error.is_race() {
        return again;
    }
    SyncOutcome {
        condition_not_written: true,
        ..again.failed(not_updated(error))
    }
}

/// The object was not written.
pub(super) fn not_updated(error: &ApiError) -> Failure {
    api_failure("could not update the ExternalSecret", error)
}
