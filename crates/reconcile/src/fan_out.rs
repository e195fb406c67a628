//! One reconcile of a ClusterExternalSecret or ClusterPushSecret: claims it, keeps one child in each wanted
//! namespace, and reports. What is done in which namespace is decided in `lockstep-plan`.

mod apply;
mod report;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::reasons;
use lockstep_plan::fan_out::{Decision, Observed, Parent, decide, refused, report as plan_report};
use lockstep_plan::{EventNote, NextRun, Settings};
use lockstep_runtime::api_error::ApiError;

use crate::outcome::Ended;

use apply::apply;
use report::{first_trouble, unwritten};
pub use world::FanOutWorld;

/// What reconciles of both kinds work with.
pub struct Reconciler<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Settings of the process.
    pub settings: &'a Settings,
}

impl<W> Reconciler<'_, W> {
    /// Reconciles an object once. `now` is the start.
    pub async fn reconcile<P>(&self, observed: Observed<P>, now: Timestamp) -> Ended
    where
        P: Parent + Send + Sync,
        P::Child: Send + Sync,
        P::Status: Send + Sync,
        W: FanOutWorld<P>,
    {
        let name = observed.object.metadata().name.clone().unwrap_or_default();
        match self.carry_out(observed, now).await {
            Ok(ended) => ended,
            Err(error) => unwritten((P::KIND, &name), &error),
        }
    }

    /// An error means that the object itself could not be written, or that something changed meanwhile.
    async fn carry_out<P>(
        &self,
        mut observed: Observed<P>,
        now: Timestamp,
    ) -> Result<Ended, ApiError>
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
        match decision {
            Decision::Gone | Decision::Claim(_) => Ok(Ended::well(NextRun::OnChange)),
            Decision::Release(work, patch) => {
                let outcomes = apply(self.world, object, work).await?;
                if let Some((namespace, trouble)) = first_trouble(&outcomes) {
                    let name = object.metadata().name.as_deref().unwrap_or_default();
                    let error = format!("could not clean up namespace {namespace}: {trouble}");
                    tracing::warn!(kind = P::KIND, %name, %error, "reconcile failed");
                    return Ok(Ended::failed(NextRun::Backoff));
                }
                self.world.patch_parent(object, &patch).await?;
                Ok(Ended::well(NextRun::OnChange))
            }
            Decision::Refuse(reason) => {
                let event = EventNote::warning(reasons::EVENT_INVALID_SELECTOR, reason.clone());
                let report = refused(object, reason, self.settings);
                if report.status.is_some() {
                    self.world.publish_parent(object, &event);
                }
                self.report(object, report).await
            }
            Decision::Keep(work) => {
                let outcomes = apply(self.world, object, work).await?;
                let report = plan_report(object, outcomes, self.settings, now);
                self.report(object, report).await
            }
        }
    }
}
