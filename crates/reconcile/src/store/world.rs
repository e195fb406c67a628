//! What a reconcile of a store may do to the world around it.

use std::future::Future;
use std::sync::Arc;

use lockstep_api::SecretStoreStatus;
use lockstep_plan::EventNote;
use lockstep_plan::store::StoreRecord;
use lockstep_runtime::api_error::ApiError;

/// Reads and writes around one store.
pub trait StoreWorld: Send + Sync {
    /// Applies a merge patch to the store's finalizers and returns the store as it is then.
    fn patch_store(
        &self,
        store: &StoreRecord,
        patch: &serde_json::Value,
    ) -> impl Future<Output = Result<Arc<StoreRecord>, ApiError>> + Send;

    /// Writes the store's status.
    fn write_store_status(
        &self,
        store: &StoreRecord,
        status: &SecretStoreStatus,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// The PushSecrets that a store which is being deleted waits for, as `namespace/name`, in order.
    fn holders(&self, store: &StoreRecord) -> Vec<String>;

    /// The store was checked, whatever came of it.
    fn checked(&self, _store: &StoreRecord) {}

    /// Records an event about the store. Never waits and never fails a reconcile.
    fn publish_store(&self, store: &StoreRecord, event: &EventNote);
}
