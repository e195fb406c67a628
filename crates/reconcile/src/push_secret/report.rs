//! Reports what a reconcile did: events and the status.

use jiff::Timestamp;
use lockstep_plan::NextRun;
use lockstep_plan::push_secret::{Applied, Observed, PushOutcome, report};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::Reconciler;
use super::world::PushSecretWorld;
use crate::failure::api_failure;

impl<W: PushSecretWorld> Reconciler<'_, W> {
    /// Reports what was done.
    pub(super) async fn report(
        &self,
        observed: &Observed<'_>,
        applied: Applied,
        now: Timestamp,
    ) -> PushOutcome {
        let report = report(observed, applied, self.settings, now);
        for event in report.events {
            self.world.publish_push(&observed.object, event);
        }
        let Some(status) = report.status else {
            return report.outcome;
        };
        let written = self.world.write_push_status(&observed.object, &status);
        match written.await {
            Ok(_) => report.outcome,
            Err(error) => PushOutcome {
                refreshed: report.outcome.refreshed,
                doomed_since: report.outcome.doomed_since,
                ..unwritten(&error)
            },
        }
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
