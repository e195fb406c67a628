//! One reconcile of a PushSecret, from what was observed to what is reported. The order of the steps is
//! fixed here; what each of them means is decided in `lockstep-plan`.

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
    Applied, Decision, Observed, PushOutcome, Resolved, Settled, decide,
};
use lockstep_plan::{Failure, NextRun, Settings};
use lockstep_remote::RemoteClient;

use crate::generator_states;
use crate::planning::Planning;

use report::unwritten;
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
    /// Reconciles an object once. `now` is the start.
    pub async fn reconcile(&self, mut observed: Observed<'_>, now: Timestamp) -> PushOutcome {
        let verdict = decide(&observed, self.settings, now);
        let changed = self.settle_finalizer(&observed.object, verdict.finalizer);
        match changed.await {
            Ok(Some(object)) => observed.object = object,
            Ok(None) => {}
            Err(error) => return unwritten(&error),
        }
        match verdict.decision {
            Decision::Ignore(reason) => {
                tracing::debug!(object = %name(&observed.object), ?reason, "left alone");
                PushOutcome::next(NextRun::OnChange)
            }
            Decision::Idle { until, warning } => {
                if let Some(warning) = warning {
                    self.world.publish_push(&observed.object, warning);
                }
                PushOutcome {
                    doomed_since: observed.doomed_since,
                    ..PushOutcome::next(until.map_or(NextRun::OnChange, NextRun::At))
                }
            }
            Decision::Fail(failure) => {
                let applied = Applied::failed(&observed, failure);
                self.report(&observed, applied, now).await
            }
            Decision::Release(recorded) => self.release(&observed, recorded, now).await,
            Decision::Push(stores) => self.push(&observed, stores, now).await,
        }
    }

    /// Pushes, and settles the states of what generators made for it.
    async fn push(
        &self,
        observed: &Observed<'_>,
        stores: Result<Resolved, Failure>,
        now: Timestamp,
    ) -> PushOutcome {
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
        let outcome = self.report(observed, applied, now).await;
        PushOutcome { matched, ..outcome }
    }
}

fn namespace(object: &PushSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

fn name(object: &PushSecret) -> String {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", namespace(object))
}
