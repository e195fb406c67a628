//! Reports what a check found: events, the status, a log line, and the next time.

use jiff::Timestamp;
use lockstep_api::conditions::{Condition, READY};
use lockstep_plan::store::{StorePlan, StoreRecord, block_deletion};
use lockstep_plan::{NextRun, StoreKey};
use lockstep_runtime::api_error::ApiErrorKind;

use super::Reconciler;
use super::world::StoreWorld;
use crate::outcome::Ended;

impl<W: StoreWorld> Reconciler<'_, W> {
    /// Reports what was found.
    pub(super) async fn report(
        &self,
        store: &StoreRecord,
        plan: StorePlan,
        now: Timestamp,
    ) -> Ended {
        let holders = self.world.holders(store);
        let plan = block_deletion(plan, store.object(), &holders, now);
        log(&store.key, &plan);
        for event in &plan.events {
            self.world.publish_store(store, event);
        }
        self.world.checked(store);
        let written = match &plan.status {
            Some(status) => self.world.write_store_status(store, status).await,
            None => Ok(()),
        };
        match written {
            Ok(()) => Ended {
                failed: matches!(plan.next, NextRun::Backoff | NextRun::BackoffWithin(_)),
                next: plan.next,
            },
            Err(error) if error.is(ApiErrorKind::NotFound) => Ended::well(NextRun::OnChange),
            Err(error) => {
                tracing::warn!(store = %store.key, %error, "could not write the store's status");
                Ended::failed(NextRun::Backoff)
            }
        }
    }
}

fn log(key: &StoreKey, plan: &StorePlan) {
    let Some(status) = plan.status.as_ref().filter(|_| plan.condition_changed) else {
        tracing::debug!(store = %key, "store checked, nothing new");
        return;
    };
    let condition = Condition::find(&status.conditions, READY);
    let reason = condition
        .and_then(|condition| condition.reason.as_deref())
        .unwrap_or_default();
    let message = condition
        .and_then(|condition| condition.message.as_deref())
        .unwrap_or_default();
    if plan.is_ready {
        tracing::info!(store = %key, reason, detail = message, "store is ready");
    } else {
        tracing::warn!(store = %key, reason, detail = message, "store is not ready");
    }
}
