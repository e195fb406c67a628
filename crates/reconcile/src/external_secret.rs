//! One reconcile of an ExternalSecret, from what was observed to what is reported. The order of the steps
//! is fixed here; what each of them means is decided in `lockstep-plan`.

mod apply;
mod fetch;
mod manifest_target;
mod observe;
mod release;
mod report;
mod stopped;
mod sync;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{
    Applied, Decision, FetchList, Observed, ObservedTarget, SyncOutcome, add_finalizer, decide,
    note_at,
};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_plan::{NextRun, Settings};
use lockstep_remote::RemoteClient;
use lockstep_runtime::api_error::ApiError;

use crate::planning::Planning;

use fetch::prepare;
use report::unwritten;
pub use report::{Reconciled, Shares};
use sync::LookAgain;
pub use world::{Deletion, ExternalSecretWorld};

/// What reconciles of ExternalSecrets work with.
pub struct Reconciler<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Reads of stores.
    pub remote: &'a Arc<RemoteClient>,
    /// Settings of the process.
    pub settings: &'a Settings,
    /// Where plans are made.
    pub planning: &'a Planning,
}

impl<W: ExternalSecretWorld> Reconciler<'_, W> {
    /// Reconciles an object once. `now` is the start.
    pub async fn reconcile(&self, mut observed: Observed<'_>, now: Timestamp) -> Reconciled {
        if let Some(target) = self.manifest_target(&observed.object) {
            match observe::target(self.world, &observed.object, &target).await {
                Ok(live) => observed.target = ObservedTarget::Object(live),
                Err(failure) => {
                    let failed = self.fail_target_unreadable(observed, failure, now).await;
                    return failed.into();
                }
            }
        }
        let verdict = decide(&observed, self.settings, now);
        if verdict.add_finalizer
            && let Err(error) = self.claim(&mut observed.object).await
        {
            let failed = self.fail_finalizer_rejected(&observed, &error, now).await;
            return failed.into();
        }
        let outcome = match verdict.decision {
            Decision::Fetch(list) => {
                observed.sources = observe::sources(self.world, &observed.object).await;
                return self.refresh(&observed, &list, now).await;
            }
            Decision::Ignore(reason) => {
                tracing::debug!(object = %name(&observed.object), ?reason, "left alone");
                SyncOutcome::next(NextRun::OnChange)
            }
            Decision::Idle {
                until,
                awaits_target,
                status,
            } => {
                if let Some(status) = &status
                    && let Err(error) = self.world.write_status(&observed.object, status).await
                {
                    return unwritten(&error).into();
                }
                let refreshed = observed.last_refresh;
                SyncOutcome {
                    awaits_target,
                    note_at: refreshed
                        .and_then(|at| note_at(&observed.object, status.as_deref(), at)),
                    ..SyncOutcome::next(until.map_or(NextRun::OnChange, NextRun::At))
                }
            }
            Decision::Release(release) => self.release(&observed.object, release).await,
            Decision::Fail(failure) => self.report(&observed, Applied::failed(failure), now).await,
        };
        outcome.into()
    }

    /// Fetches and writes, unless a generator belongs to another controller class.
    async fn refresh(
        &self,
        observed: &Observed<'_>,
        list: &FetchList,
        now: Timestamp,
    ) -> Reconciled {
        let prepared = prepare(list, namespace(&observed.object), self.world).await;
        let class = &self.settings.class;
        if prepared.iter().any(|item| item.is_foreign_to(class)) {
            tracing::debug!(object = %name(&observed.object), "generator of another class");
            return SyncOutcome::next(NextRun::OnChange).into();
        }
        self.world.fetching(&observed.object);
        let (synced, reads) = self.sync(observed, (list, prepared), now).await;
        let applied = match synced {
            Ok(applied) => applied,
            Err(LookAgain(at)) => return SyncOutcome::next(NextRun::At(at)).into(),
        };
        let outcome = self.report(observed, applied, now).await;
        Reconciled::sharing(outcome, observed, reads, self.settings)
    }

    /// Puts the finalizer on the object.
    async fn claim(&self, object: &mut ExternalSecret) -> Result<(), ApiError> {
        *object = self.world.patch(object, &add_finalizer(object)).await?;
        Ok(())
    }

    /// The target, where it is no Secret and such are allowed.
    fn manifest_target(&self, object: &ExternalSecret) -> Option<ObjectRef> {
        ObjectRef::of(object).filter(|_| self.settings.generic_targets)
    }
}

fn namespace(object: &ExternalSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &ExternalSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
