//! The end of an object: its targets are cleaned up as planned, then its finalizer goes.

use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{
    Observed, ObservedTarget, ReleasePlan, Report, SyncOutcome, remove_finalizer,
};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_plan::{EventNote, NextRun};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::report::unwritten;
use super::world::ExternalSecretWorld;
use super::{Reconciler, manifest_target, namespace};

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Cleans up after an object that is being deleted, then lets it go.
    pub(super) async fn release(&self, observed: &Observed<'_>, release: ReleasePlan) -> Report {
        if let ObservedTarget::Unreadable(failure) = &observed.target {
            let again = SyncOutcome::next(NextRun::Backoff);
            return again.failed(failure.clone()).into();
        }
        let (object, mut events) = (&observed.object, Vec::new());
        let outcome = match self.clean_up(object, release, &mut events).await {
            Ok(()) => SyncOutcome::next(NextRun::OnChange),
            Err(error) => unwritten(&error),
        };
        Report {
            events,
            ..outcome.into()
        }
    }

    async fn clean_up(
        &self,
        object: &ExternalSecret,
        release: ReleasePlan,
        events: &mut Vec<EventNote>,
    ) -> Result<(), ApiError> {
        for delete in &release.delete {
            match self.world.delete_secret(namespace(object), delete).await {
                Err(error) if !error.is(ApiErrorKind::NotFound) => return Err(error),
                _ => {}
            }
        }
        if let Some((target, delete)) = ObjectRef::of(object).zip(release.object) {
            match self.world.delete_object(&target, &delete).await {
                Ok(()) => events.push(manifest_target::deleted(&target)),
                Err(error) if error.is(ApiErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let released = self.world.patch(object, &remove_finalizer(object)).await;
        released.map(drop)
    }
}
