//! One reconcile of an ExternalSecret, from the decision about it to what is to be reported: fetch, plan,
//! apply, report. The order of the steps is fixed here; what each of them means is decided in
//! `lockstep-plan`. Status and events are returned, and the caller writes them.

mod apply;
mod deletion;
mod fetch;
mod manifest_target;
mod observe;
mod release;
mod report;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{
    Absence, Applied, Decision, FetchList, Observed, Payload, Plan, SyncOutcome, Verdict,
    add_finalizer, plan, report, report_idle,
};
use lockstep_plan::{Budget, Failure, NextRun, Settings, Work};
use lockstep_provider_api::Error;
use lockstep_remote::RemoteClient;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::generator_states;
use crate::planning::Planning;

use apply::apply;
pub use deletion::{is_released, sight};
use fetch::Fetched;
pub use observe::observe_manifest_target;
pub use report::{Reconciled, Shares, outcome_after};
use report::{not_updated, unwritten};
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
    /// Reconciles an object once, as decided from what was observed. `now` is the start.
    pub async fn reconcile(
        &self,
        mut observed: Observed<'_>,
        verdict: Verdict,
        now: Timestamp,
    ) -> Reconciled {
        let report = match self.claim(&mut observed.object, verdict).await {
            Ok(Decision::Fetch(list)) => return self.refresh(observed, &list, now).await,
            Ok(Decision::Ignore(reason)) => {
                tracing::debug!(object = %name(&observed.object), ?reason, "left alone");
                SyncOutcome::next(NextRun::OnChange).into()
            }
            Ok(Decision::Idle {
                until,
                awaits_target,
                status,
            }) => report_idle(&observed, status, (until, awaits_target)),
            Ok(Decision::Release(release)) => self.release(&observed, release).await,
            Ok(Decision::Fail(failure)) => {
                report(&observed, Applied::failed(failure), self.settings, now)
            }
            Err(error) => unwritten(&error).into(),
        };
        Reconciled::new(observed.object, report)
    }

    /// Fetches, plans, applies and reports.
    async fn refresh(
        &self,
        mut observed: Observed<'_>,
        list: &FetchList,
        now: Timestamp,
    ) -> Reconciled {
        observed.sources = observe::sources(self.world, &observed.object).await;
        let Some(Fetched {
            answers,
            held,
            reads,
            states,
            expires,
        }) = self.fetch(&observed, list).await
        else {
            tracing::debug!(object = %name(&observed.object), "generator of another class");
            let report = SyncOutcome::next(NextRun::OnChange).into();
            return Reconciled::new(observed.object, report);
        };

        let planned = self.plan(&observed, (list, &answers), now).await;
        drop(answers);
        let present = matches!(&planned, Ok(plan) if plan.absence == Absence::Nothing);

        let mut applied = match planned {
            Ok(plan) => apply(self.world, &observed.object, plan, self.settings).await,
            Err(failure) => Applied::failed(failure),
        };
        drop(held);
        if applied.target.is_in_use() {
            applied.expires = expires;
            generator_states::settle(self.world, &states, self.settings, now).await;
        } else {
            generator_states::roll_back(self.world, &states, now).await;
        }

        let report = report(&observed, applied, self.settings, now);
        Reconciled {
            shares: Shares::of(&observed, &report.outcome, reads, self.settings),
            present,
            ..Reconciled::new(observed.object, report)
        }
    }

    /// Puts the finalizer on the object where it is missing; returns what is left to do.
    async fn claim(
        &self,
        object: &mut ExternalSecret,
        verdict: Verdict,
    ) -> Result<Decision, ApiError> {
        if !verdict.add_finalizer {
            return Ok(verdict.decision);
        }
        match self.world.patch(object, &add_finalizer(object)).await {
            Ok(claimed) => *object = claimed,
            Err(error) if error.is_race() || error.is(ApiErrorKind::NotFound) => return Err(error),
            // The status may be written where the object itself may not.
            Err(error) if !matches!(verdict.decision, Decision::Ignore(_)) => {
                return Ok(Decision::Fail(not_updated(&error)));
            }
            Err(_) => {}
        }
        Ok(verdict.decision)
    }

    /// Plans what the answers to a list mean.
    async fn plan(
        &self,
        observed: &Observed<'_>,
        (list, answers): (&FetchList, &[Result<Payload, Error>]),
        now: Timestamp,
    ) -> Result<Plan, Failure> {
        let (settings, limits) = (self.settings, self.settings.template_limits);
        let make = |budget: &Budget| {
            let work = Work {
                settings,
                now,
                budget,
            };
            plan(observed, list, answers, work)
        };
        let planned = self
            .planning
            .make(namespace(&observed.object), limits, make);
        planned.await
    }
}

fn namespace(object: &ExternalSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &ExternalSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
