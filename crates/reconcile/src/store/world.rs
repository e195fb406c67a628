//! What a reconcile of a store may do to the world around it. Its status and its events are no part of it:
//! they are returned.

use std::future::Future;
use std::sync::Arc;

use lockstep_plan::store::StoreRecord;
use lockstep_runtime::api_error::ApiError;

/// Writes to one store.
pub trait StoreWorld: Send + Sync {
    /// Applies a merge patch to the store's finalizers and returns the store as it is then.
    fn patch_store(
        &self,
        store: &StoreRecord,
        patch: &serde_json::Value,
    ) -> impl Future<Output = Result<Arc<StoreRecord>, ApiError>> + Send;
}
