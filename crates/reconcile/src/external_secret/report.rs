//! What a reconcile returns for its caller to carry out: the report, and the reads that keep the object
//! fresh. Says also what follows when the status could not be written.

use std::time::Duration;

use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{Observed, Report, SyncOutcome, shared_interval};
use lockstep_plan::{Failure, NextRun, Settings};
use lockstep_remote::GroupKey;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_scheduling::groups::Taken;

use crate::failure::api_failure;

/// What a reconcile leaves to its caller: events are recorded first, then the status is written.
#[derive(Debug)]
pub struct Reconciled {
    /// The object that they are about, as it is now.
    pub object: ExternalSecret,
    /// The status, the events, and the outcome once the status is written.
    pub report: Report,
    /// The reads that keep the object fresh, where they can.
    pub shares: Option<Shares>,
    /// Whether its remote secrets were read and are there.
    pub present: bool,
}

impl Reconciled {
    /// A reconcile after which nothing is known of remote secrets.
    pub(super) fn new(object: ExternalSecret, report: Report) -> Self {
        Self {
            object,
            report,
            shares: None,
            present: false,
        }
    }
}

/// Shared reads an object depends on, and on nothing else that time would change.
#[derive(Debug)]
pub struct Shares {
    /// How old its values may become.
    pub interval: Duration,
    /// What it synced from.
    pub reads: Vec<Taken<GroupKey>>,
}

impl Shares {
    /// The reads that keep the object fresh, if it was refreshed and time changes nothing else.
    pub(super) fn of(
        observed: &Observed<'_>,
        outcome: &SyncOutcome,
        reads: Option<Vec<Taken<GroupKey>>>,
        settings: &Settings,
    ) -> Option<Self> {
        let synced = outcome.refreshed.is_some() && !outcome.awaits_target;
        let interval = shared_interval(&observed.object, settings).filter(|_| synced)?;
        let reads = reads.filter(|reads| !reads.is_empty())?;
        Some(Self { interval, reads })
    }
}

/// The outcome of a reconcile, given what became of its status.
pub fn outcome_after(written: Result<(), ApiError>, outcome: SyncOutcome) -> SyncOutcome {
    match written {
        Ok(()) => outcome,
        Err(error) => SyncOutcome {
            refreshed: outcome.refreshed,
            ..unwritten(&error)
        },
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
