//! What a reconcile returns for its caller to carry out, and what follows when the status could not be
//! written.

use lockstep_api::PushSecret;
use lockstep_plan::NextRun;
use lockstep_plan::push_secret::{PushOutcome, Report};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::failure::api_failure;

/// What a reconcile leaves to its caller: events are recorded first, then the status is written.
#[derive(Debug)]
pub struct Reconciled {
    /// The object that they are about, as it is now.
    pub object: PushSecret,
    /// The status, the events, and the outcome once the status is written.
    pub report: Report,
}

/// The outcome of a reconcile, given what became of its status.
pub fn outcome_after(written: Result<(), ApiError>, outcome: PushOutcome) -> PushOutcome {
    match written {
        Ok(()) => outcome,
        Err(error) => PushOutcome {
            refreshed: outcome.refreshed,
            doomed_since: outcome.doomed_since,
            matched: outcome.matched,
            ..unwritten(&error)
        },
    }
}

/// What follows when the object itself could not be written. It has no condition then; the log and the
/// error counter tell.
pub(super) fn unwritten(error: &ApiError) -> PushOutcome {
    if error.is(ApiErrorKind::NotFound) {
        return PushOutcome::next(NextRun::OnChange);
    }
    let again = PushOutcome::next(NextRun::Backoff);
    if error.is_race() {
        return again;
    }
    again.failed(api_failure("could not write the PushSecret", error))
}
