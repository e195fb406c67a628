//! The finalizer of an object, and its end: what it pushed is deleted as planned, then its finalizer goes.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::PushSecret;
use lockstep_plan::NextRun;
use lockstep_plan::push_secret::{
    Applied, FinalizerChange, Observed, PushOutcome, Recorded, Report, Settled, add_finalizer,
    forget_record, remove_finalizer, report,
};
use lockstep_runtime::api_error::ApiError;

use super::Reconciler;
use super::report::unwritten;
use super::world::PushSecretWorld;

impl<W: PushSecretWorld> Reconciler<'_, W> {
    /// Writes the finalizer where it must change; returns the object as it is then.
    pub(super) async fn settle_finalizer(
        &self,
        object: &PushSecret,
        change: FinalizerChange,
    ) -> Result<Option<PushSecret>, ApiError> {
        let patched = match change {
            FinalizerChange::None => return Ok(None),
            FinalizerChange::Add => self.world.patch_push(object, &add_finalizer(object)).await,
            FinalizerChange::ForgetAndAdd => {
                let forgotten = forget_record(object);
                let object = self.world.write_push_status(object, &forgotten).await?;
                self.world
                    .patch_push(&object, &add_finalizer(&object))
                    .await
            }
            FinalizerChange::Remove => {
                let patch = remove_finalizer(object);
                self.world.patch_push(object, &patch).await
            }
        };
        patched.map(Some)
    }

    /// Cleans up after an object that is being deleted, then lets it go.
    pub(super) async fn release(
        &self,
        observed: &Observed<'_>,
        recorded: Vec<Recorded>,
        now: Timestamp,
    ) -> Report {
        let object = &observed.object;
        let (kept, failure) = self.delete_all(observed, recorded).await;
        if let Some(failure) = failure {
            let mut record = BTreeMap::new();
            for recorded in kept {
                recorded.keep_in(&mut record, object);
            }
            let settled = Settled::Failed(failure);
            let applied = Applied {
                record,
                settled,
                pending: None,
            };
            return report(observed, applied, self.settings, now);
        }
        let patch = remove_finalizer(object);
        match self.world.patch_push(object, &patch).await {
            Ok(_) => PushOutcome::next(NextRun::OnChange).into(),
            Err(error) => unwritten(&error).into(),
        }
    }
}
