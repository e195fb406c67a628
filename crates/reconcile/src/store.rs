//! One reconcile of a store of either kind: its finalizer, its check, and what is reported. The order of the
//! steps is fixed here; what each of them means is decided in `lockstep-plan`.

mod fetch;
mod report;
mod world;

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::store::{
    StoreObserved, StoreRecord, finalizer_patch, is_released, report as plan_report,
};
use lockstep_plan::{NextRun, Settings};
use lockstep_remote::RemoteClient;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::outcome::Ended;

pub use fetch::{check, is_left_out};
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
    pub async fn reconcile(&self, observed: StoreObserved, now: Timestamp) -> Ended {
        let key = &observed.store.key;
        let store = match self.settle_finalizer(&observed).await {
            Ok(store) => store,
            Err(error) if error.is(ApiErrorKind::NotFound) => {
                return Ended::well(NextRun::OnChange);
            }
            Err(error) => {
                tracing::debug!(store = %key, %error, "could not write the store's finalizer");
                return Ended::well(NextRun::Backoff);
            }
        };
        if is_released(&observed.store, &store) {
            tracing::debug!(store = %key, "let go");
            return Ended::well(NextRun::OnChange);
        }
        let checked = check(&store, self.remote.connections(), self.settings).await;
        let Some(outcome) = checked else {
            tracing::debug!(store = %key, "skip store");
            return Ended::well(NextRun::OnChange);
        };
        let outcome = outcome.with_trouble(self.remote.trouble(key));
        let plan = plan_report(store.object(), outcome, self.settings, now);
        self.report(&store, plan, now).await
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
        tracing::debug!(store = %observed.store.key, "finalizer settled");
        Ok(written)
    }
}
