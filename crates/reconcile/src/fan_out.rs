//! One reconcile of a ClusterExternalSecret or ClusterPushSecret: claims it, keeps one child in each wanted
//! namespace, and says what is to be reported. What is done in which namespace is decided in `lockstep-plan`.
//! Status and events are returned, and the caller writes them.

mod apply;
mod report;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::fan_out::{Decision, Observed, Parent, Report, decide, refused, report};
use lockstep_plan::{NextRun, Settings};
use lockstep_runtime::api_error::ApiError;

use crate::outcome::{Ended, Reconciled};

use apply::apply;
pub use report::ended_after;
use report::{ended, first_trouble, unwritten};
pub use world::FanOutWorld;

type FanOutReconciled<P> = Reconciled<Arc<P>, Report<<P as Parent>::Status>>;

/// What reconciles of both kinds work with.
pub struct Reconciler<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Settings of the process.
    pub settings: &'a Settings,
}

impl<W> Reconciler<'_, W> {
    /// Reconciles an object once. `now` is the start.
    pub async fn reconcile<P>(&self, observed: Observed<P>, now: Timestamp) -> FanOutReconciled<P>
    where
        P: Parent + Send + Sync,
        P::Child: Send + Sync,
        P::Status: Send + Sync,
        W: FanOutWorld<P>,
    {
        let name = observed.object.metadata().name.clone().unwrap_or_default();
        match self.carry_out(observed, now).await {
            Ok(reconciled) => reconciled,
            Err(error) => unwritten((P::KIND, &name), &error).into(),
        }
    }

    /// An error means that the object itself could not be written, or that something changed meanwhile.
    async fn carry_out<P>(
        &self,
        mut observed: Observed<P>,
        now: Timestamp,
    ) -> Result<FanOutReconciled<P>, ApiError>
    where
        P: Parent + Send + Sync,
        P::Child: Send + Sync,
        P::Status: Send + Sync,
        W: FanOutWorld<P>,
    {
        let mut decision = decide(&observed);
        if let Decision::Claim(patch) = &decision {
            let claimed = self.world.patch_parent(&*observed.object, patch).await?;
            observed.object = Arc::new(claimed);
            decision = decide(&observed);
        }
        let object = &*observed.object;
        let report = match decision {
            Decision::Gone | Decision::Claim(_) => return Ok(Ended::well(NextRun::OnChange).into()),
            Decision::Release(work, patch) => {
                let outcomes = apply(self.world, object, work).await?;
                if let Some((namespace, trouble)) = first_trouble(&outcomes) {
                    let name = object.metadata().name.as_deref().unwrap_or_default();
                    let error = format!("could not clean up namespace {namespace}: {trouble}");
                    tracing::warn!(kind = P::KIND, %name, %error, "reconcile failed");
                    return Ok(Ended::failed(NextRun::Backoff).into());
                }
                self.world.patch_parent(object, &patch).await?;
                return Ok(Ended::well(NextRun::OnChange).into());
            }
            Decision::Refuse(reason) => refused(object, reason, self.settings),
            Decision::Keep(work) => {
                let outcomes = apply(self.world, object, work).await?;
                report(object, outcomes, self.settings, now)
            }
        };
        Ok(Reconciled {
            ended: ended(object, &report),
            report: Some((observed.object, report)),
        })
    }
}
