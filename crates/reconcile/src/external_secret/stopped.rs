//! Reconciles that end before anything is fetched: a target that cannot be read, an object that cannot be
//! claimed. They are reported like any other, unless the object is not ours to reconcile.

use jiff::Timestamp;
use lockstep_plan::external_secret::{Applied, Decision, Observed, SyncOutcome, decide};
use lockstep_plan::{Failure, NextRun};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::Reconciler;
use super::report::{not_updated, unwritten};
use super::world::ExternalSecretWorld;

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Reports that the target could not be read. The object is claimed all the same.
    pub(super) async fn fail_target_unreadable(
        &self,
        mut observed: Observed<'_>,
        failure: Failure,
        now: Timestamp,
    ) -> SyncOutcome {
        observed.former_targets = Vec::new();
        if decide(&observed, self.settings, now).add_finalizer
            && let Err(error) = self.claim(&mut observed.object).await
        {
            return self.fail_finalizer_rejected(&observed, &error, now).await;
        }
        self.fail_before_fetch(&observed, failure, now).await
    }

    /// Reports what stopped a reconcile before it fetched, unless the object is not ours.
    async fn fail_before_fetch(
        &self,
        observed: &Observed<'_>,
        failure: Failure,
        now: Timestamp,
    ) -> SyncOutcome {
        match decide(observed, self.settings, now).decision {
            Decision::Ignore(_) => SyncOutcome::next(NextRun::OnChange),
            Decision::Release(_) => SyncOutcome::next(NextRun::Backoff).failed(failure),
            _ => self.report(observed, Applied::failed(failure), now).await,
        }
    }

    /// Reports that the finalizer was refused. The object itself cannot be written then, but its
    /// status may be.
    pub(super) async fn fail_finalizer_rejected(
        &self,
        observed: &Observed<'_>,
        error: &ApiError,
        now: Timestamp,
    ) -> SyncOutcome {
        if error.is_race() || error.is(ApiErrorKind::NotFound) {
            return unwritten(error);
        }
        self.fail_before_fetch(observed, not_updated(error), now)
            .await
    }
}
