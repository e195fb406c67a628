//! The end of an object: its targets are cleaned up as planned, then its finalizer goes.

use lockstep_api::ExternalSecret;
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::{ReleasePlan, SyncOutcome, remove_finalizer};
use lockstep_runtime::api_error::ApiErrorKind;

use super::report::unwritten;
use super::world::ExternalSecretWorld;
use super::{Reconciler, manifest_target, namespace};

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Cleans up after an object that is being deleted, then lets it go.
    pub(super) async fn release(
        &self,
        object: &ExternalSecret,
        release: ReleasePlan,
    ) -> SyncOutcome {
        let namespace = namespace(object);
        for delete in &release.delete {
            match self.world.delete_secret(namespace, delete).await {
                Ok(()) => {}
                Err(error) if error.is(ApiErrorKind::NotFound) => {}
                Err(error) => return unwritten(&error),
            }
        }
        if let Some((target, delete)) = self.manifest_target(object).zip(release.object) {
            match self.world.delete_object(&target, &delete).await {
                Ok(()) => self
                    .world
                    .publish(object, manifest_target::deleted(&target)),
                Err(error) if error.is(ApiErrorKind::NotFound) => {}
                Err(error) => return unwritten(&error),
            }
        }
        match self.world.patch(object, &remove_finalizer(object)).await {
            Ok(_) => SyncOutcome::next(NextRun::OnChange),
            Err(error) => unwritten(&error),
        }
    }
}
