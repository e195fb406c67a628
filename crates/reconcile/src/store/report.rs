//! How a check ended, with a log line, and what follows when the status could not be written.

use lockstep_api::conditions::{Condition, READY};
use lockstep_plan::store::StorePlan;
use lockstep_plan::{NextRun, StoreKey};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::outcome::Ended;

/// How a reconcile ended, once what was planned is written.
pub(super) fn ended(key: &StoreKey, plan: &StorePlan) -> Ended {
    log(key, plan);
    Ended {
        failed: matches!(plan.next, NextRun::Backoff | NextRun::BackoffWithin(_)),
        next: plan.next,
    }
}

/// How a reconcile ended, given what became of the store's status.
pub fn ended_after(key: &StoreKey, written: Result<(), ApiError>, ended: Ended) -> Ended {
    match written {
        Ok(()) => ended,
        Err(error) if error.is(ApiErrorKind::NotFound) => Ended::well(NextRun::OnChange),
        Err(error) => {
            tracing::warn!(store = %key.qualified(), %error, "could not write the store's status");
            Ended::failed(NextRun::Backoff)
        }
    }
}

fn log(key: &StoreKey, plan: &StorePlan) {
    let Some(status) = plan.status.as_ref().filter(|_| plan.condition_changed) else {
        tracing::debug!(store = %key.qualified(), "store checked, nothing new");
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
        tracing::info!(store = %key.qualified(), reason, detail = message, "store is ready");
    } else {
        tracing::warn!(store = %key.qualified(), reason, detail = message, "store is not ready");
    }
}
