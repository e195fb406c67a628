//! One reconcile of a store of either kind: its finalizer, its check, and what is to be reported. The order
//! of the steps is fixed here; what each of them means is decided in `lockstep-plan`. Status and events are
//! returned, and the caller writes them.

mod fetch;
mod report;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::store::{
    StoreObserved, StorePlan, StoreRecord, block_deletion, finalizer_patch, is_released, report,
};
use lockstep_plan::{NextRun, Settings};
use lockstep_remote::RemoteClient;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::outcome::{Ended, Reconciled};

pub use fetch::{check, is_left_out};
use report::ended;
pub use report::ended_after;
pub use world::StoreWorld;

/// What reconciles of stores work with.
pub struct Reconciler<'a, W> {
    /// Reads and writes.
    pub world: &'a W,
    /// Connections to stores.
    pub remote: &'a Arc<RemoteClient>,
    /// Settings of the process.
    pub settings: &'a Settings,
}

impl<W: StoreWorld> Reconciler<'_, W> {
    /// Reconciles a store once. `now` is the start.
    pub async fn reconcile(
        &self,
        observed: StoreObserved,
        now: Timestamp,
    ) -> Reconciled<Arc<StoreRecord>, StorePlan> {
        let key = &observed.store.key;
        let store = match self.settle_finalizer(&observed).await {
            Ok(store) => store,
            Err(error) if error.is(ApiErrorKind::NotFound) => {
                return Ended::well(NextRun::OnChange).into();
            }
            Err(error) => {
                tracing::debug!(store = %key.qualified(), %error, "could not write the store's finalizer");
                return Ended::well(NextRun::Backoff).into();
            }
        };
        if is_released(&observed.store, &store) {
            tracing::debug!(store = %key.qualified(), "let go");
            return Ended::well(NextRun::OnChange).into();
        }
        let checked = check(&store, self.remote.connections(), self.settings).await;
        let Some(outcome) = checked else {
            tracing::debug!(store = %key.qualified(), "skip store");
            return Ended::well(NextRun::OnChange).into();
        };
        let outcome = outcome.with_trouble(self.remote.trouble(key));
        let plan = report(store.object(), outcome, self.settings, now);
        let plan = block_deletion(plan, store.object(), &observed.holders, now);
        Reconciled {
            ended: ended(key, &plan),
            report: Some((store, plan)),
        }
    }

    /// Makes the finalizer as it should be; returns the store as it is then.
    async fn settle_finalizer(
        &self,
        observed: &StoreObserved,
    ) -> Result<Arc<StoreRecord>, ApiError> {
        let Some(patch) = finalizer_patch(observed, self.settings) else {
            return Ok(Arc::clone(&observed.store));
        };
        let written = self.world.patch_store(&observed.store, &patch).await?;
        tracing::debug!(store = %observed.store.key.qualified(), "finalizer settled");
        Ok(written)
    }
}
