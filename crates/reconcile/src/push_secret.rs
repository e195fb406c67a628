//! One reconcile of a PushSecret, from the decision about it to what is to be reported. The order of the
//! steps is fixed here; what each of them means is decided in `lockstep-plan`. Status and events are
//! returned, and the caller writes them.

mod apply;
mod fetch;
mod observe;
mod release;
mod report;
mod sync;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::PushSecret;
use lockstep_plan::push_secret::{
    Applied, Decision, Observed, PushOutcome, Report, Resolved, Settled, Verdict, report,
};
use lockstep_plan::{Failure, NextRun, Settings};
use lockstep_remote::RemoteClient;

use crate::generator_states;
use crate::planning::Planning;

use report::unwritten;
pub use report::{Reconciled, outcome_after};
pub use world::PushSecretWorld;

/// What reconciles of PushSecrets work with.
pub struct Reconciler<'a, W> {
    /// Reads and writes of the cluster.
    pub world: &'a W,
    /// Calls to stores.
    pub remote: &'a Arc<RemoteClient>,
    /// Settings of the process.
    pub settings: &'a Settings,
    /// Where plans are made.
    pub planning: &'a Planning,
}

impl<W: PushSecretWorld> Reconciler<'_, W> {
    /// Reconciles an object once, as decided from what was observed. `now` is the start.
    pub async fn reconcile(
        &self,
        mut observed: Observed<'_>,
        verdict: Verdict,
        now: Timestamp,
    ) -> Reconciled {
        let changed = self.settle_finalizer(&observed.object, verdict.finalizer);
        let report = match changed.await {
            Ok(changed) => {
                if let Some(object) = changed {
                    observed.object = object;
                }
                self.carry_out(&observed, verdict.decision, now).await
            }
            Err(error) => unwritten(&error).into(),
        };
        Reconciled {
            object: observed.object,
            report,
        }
    }

    async fn carry_out(
        &self,
        observed: &Observed<'_>,
        decision: Decision,
        now: Timestamp,
    ) -> Report {
        match decision {
            Decision::Ignore(reason) => {
                tracing::debug!(object = %name(&observed.object), ?reason, "left alone");
                PushOutcome::next(NextRun::OnChange).into()
            }
            Decision::Idle { until, warning } => Report {
                events: warning.into_iter().collect(),
                ..Report::from(PushOutcome {
                    doomed_since: observed.doomed_since,
                    ..PushOutcome::next(until.map_or(NextRun::OnChange, NextRun::At))
                })
            },
            Decision::Fail(failure) => {
                let applied = Applied::failed(observed, failure);
                report(observed, applied, self.settings, now)
            }
            Decision::Release(recorded) => self.release(observed, recorded, now).await,
            Decision::Push(stores) => self.push(observed, stores, now).await,
        }
    }

    /// Pushes, and settles the states of what generators made for it.
    async fn push(
        &self,
        observed: &Observed<'_>,
        stores: Result<Resolved, Failure>,
        now: Timestamp,
    ) -> Report {
        let (mut matched, mut made_states) = (None, Vec::new());
        let found = (&mut matched, &mut made_states);
        let blocked = stores.as_ref().ok().and_then(Resolved::blocked);
        let mut applied = match self.sync(observed, stores, found, now).await {
            Ok(applied) => {
                // Whatever was pushed is in use, also where another store failed.
                generator_states::settle(self.world, &made_states, self.settings, now).await;
                applied
            }
            Err(failure) => {
                generator_states::roll_back(self.world, &made_states, now).await;
                Applied::failed(observed, failure)
            }
        };
        if let (Settled::Synced, Some(failure)) = (&applied.settled, blocked) {
            applied.settled = Settled::Failed(failure);
        }
        let mut report = report(observed, applied, self.settings, now);
        report.outcome.matched = matched;
        report
    }
}

fn namespace(object: &PushSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &PushSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
