//! What follows from a reconcile of a store: its events, its status, its row, those who waited for the check,
//! and when it is reconciled next.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreStatus};
use lockstep_plan::store::{StorePlan, StoreRecord};
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_reconcile::Reconciled;
use lockstep_reconcile::store::ended_after;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::dispatch::Next;

use crate::api_server::target;
use crate::context::{Context, nanos_since};
use crate::deletion_guard;
use crate::next::next_run;

/// Records the events, writes the status, notes the outcome and maps it to the next time.
pub(super) async fn conclude(
    context: &Context,
    key: &StoreKey,
    reconciled: Reconciled<Arc<StoreRecord>, StorePlan>,
    (now, clock): (Timestamp, Instant),
) -> Next {
    let mut ended = reconciled.ended;
    if let Some((store, plan)) = reconciled.report {
        for event in &plan.events {
            context.api.recorders.store(&store, event);
        }
        deletion_guard::remind(context, &store);
        let written = match &plan.status {
            Some(status) => write_status(context, &store, status).await,
            None => Ok(()),
        };
        ended = ended_after(key, written, ended);
    }
    context.index.stores().note_run(key, nanos_since(clock));
    context.carry_out(context.index.store_checked(key));
    next_run(ended, now)
}

/// Writes the status and takes the answer into the index.
async fn write_status(
    context: &Context,
    store: &StoreRecord,
    status: &SecretStoreStatus,
) -> Result<(), ApiError> {
    let (uid, manager) = (store.view.uid.as_str(), Some(FIELD_MANAGER));
    let writer = &context.api.writer;
    let written: StoreRecord = match store.key.kind {
        StoreKind::SecretStore => {
            let target = target::<SecretStore>(&store.metadata);
            let written = writer.patch_status(&target, uid, status, manager);
            SecretStore::into(written.await?)
        }
        StoreKind::ClusterSecretStore => {
            let target = target::<ClusterSecretStore>(&store.metadata);
            let written = writer.patch_status(&target, uid, status, manager);
            ClusterSecretStore::into(written.await?)
        }
    };
    let kept = written.status.observed_generation;
    context
        .settings
        .note_generation(status.observed_generation, kept);
    context.carry_out(context.index.store_answered(written, context.now()));
    Ok(())
}
