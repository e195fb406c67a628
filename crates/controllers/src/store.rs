//! The SecretStore and ClusterSecretStore controllers: check a store, write its condition, wake those
//! who wait for it. One shell for both kinds; decides nothing.

use std::sync::Arc;
use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreStatus};
use lockstep_plan::store::{StorePlan, block_deletion, has_finalizer, report};
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_reconcile::{WorldError, store as engine};
use lockstep_remote::StoreRecord;
use lockstep_runtime::dispatch::Next;

use crate::api::{target, world_error};
use crate::deletion;
use crate::events::about_store;
use crate::shared::{Shared, nanos_since};
use crate::store_finalizer;

/// Checks one store, and lets those go on who waited for the outcome.
pub(crate) async fn run(shared: Arc<Shared>, key: StoreKey) -> Next {
    shared.index.stores().check_asked(&key, shared.now());
    let clock = Instant::now();
    let next = check(&shared, key.clone()).await;
    let nanos = nanos_since(clock);
    shared.index.stores().note_run(&key, nanos);
    shared.carry_out(shared.index.store_checked(&key));
    next
}

async fn check(shared: &Shared, key: StoreKey) -> Next {
    let now = shared.now();
    let known = shared.index.stores().get(&key);
    let Some(record) = known else {
        return Next::Idle;
    };
    let waited = has_finalizer(&record.metadata);
    let record = match store_finalizer::settle(shared, record).await {
        Ok(record) => record,
        Err(WorldError::NotFound) => return Next::Idle,
        Err(error) => {
            tracing::debug!(store = %key, %error, "could not write the store's finalizer");
            return Next::Again;
        }
    };
    if record.view.deleting && waited && !has_finalizer(&record.metadata) {
        tracing::debug!(store = %key, "let go");
        return Next::Idle;
    }
    let Some(outcome) = engine::check(&record, shared.reads.connections(), shared.settings()).await
    else {
        tracing::debug!(store = %key, "skip store");
        return Next::Idle;
    };
    let outcome = outcome.with_trouble(shared.reads.trouble(&key));
    let plan = report(record.object(), outcome, shared.settings(), now);
    let holders = store_finalizer::holders(shared, &record);
    let plan = block_deletion(plan, record.object(), &holders, now);
    log(&key, &plan);
    for event in &plan.events {
        about_store(&shared.recorders, &record, event);
    }
    deletion::remind(shared, &record);
    let written = match &plan.status {
        Some(status) => write_status(shared, &record, status).await,
        None => Ok(()),
    };
    match written {
        Ok(()) => next(&plan, now),
        Err(WorldError::NotFound) => Next::Idle,
        Err(error) => {
            tracing::warn!(store = %key, %error, "could not write the store's status");
            Next::Failed
        }
    }
}

async fn write_status(
    shared: &Shared,
    record: &StoreRecord,
    status: &SecretStoreStatus,
) -> Result<(), WorldError> {
    let (uid, manager) = (record.view.uid.as_str(), Some(FIELD_MANAGER));
    let written = match record.key.kind {
        StoreKind::SecretStore => {
            let target = target::<SecretStore>(&record.metadata);
            let written = shared
                .writer
                .patch_status(&target, uid, status, manager)
                .await;
            written.map(|store: SecretStore| StoreRecord::from(store))
        }
        StoreKind::ClusterSecretStore => {
            let target = target::<ClusterSecretStore>(&record.metadata);
            let written = shared
                .writer
                .patch_status(&target, uid, status, manager)
                .await;
            written.map(|store: ClusterSecretStore| StoreRecord::from(store))
        }
    };
    let written = written.map_err(world_error)?;
    let kept = written.status.observed_generation;
    shared.note_generation(status.observed_generation, kept);
    shared.carry_out(shared.index.store_answered(written, shared.now()));
    Ok(())
}

fn next(plan: &StorePlan, now: Timestamp) -> Next {
    if plan.retry {
        return plan.longest.map_or(Next::Failed, Next::FailedWithin);
    }
    match plan
        .next
        .and_then(|delay| SignedDuration::try_from(delay).ok())
    {
        Some(delay) => Next::At(now.saturating_add(delay).unwrap_or(Timestamp::MAX)),
        None => Next::Idle,
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
