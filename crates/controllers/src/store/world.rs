//! What reconciles of stores read and write at the API server.

use std::sync::Arc;

use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterSecretStore, SecretStore, SecretStoreStatus};
use lockstep_plan::store::{StoreRecord, has_finalizer};
use lockstep_plan::{EventNote, StoreKind};
use lockstep_reconcile::store::StoreWorld;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use serde_json::Value;

use crate::api_server::target;
use crate::deletion_guard;
use crate::world::ClusterWorld;

impl StoreWorld for ClusterWorld<'_> {
    async fn patch_store(
        &self,
        store: &StoreRecord,
        patch: &Value,
    ) -> Result<Arc<StoreRecord>, ApiError> {
        let (writer, manager) = (&self.context.api.writer, Some(FIELD_MANAGER));
        let written: StoreRecord = match store.key.kind {
            StoreKind::SecretStore => {
                let target = target::<SecretStore>(&store.metadata);
                let written: SecretStore = writer.merge(&target, patch, manager).await?;
                written.into()
            }
            StoreKind::ClusterSecretStore => {
                let target = target::<ClusterSecretStore>(&store.metadata);
                let written: ClusterSecretStore = writer.merge(&target, patch, manager).await?;
                written.into()
            }
        };
        // Straight into the index: our own write is no change to react to. A store that this let go, or
        // that was deleted meanwhile, stays out.
        let mut stores = self.context.index.stores();
        let answered = stores.answered(written);
        let known = answered.and_then(|(key, _)| stores.get(&key));
        known.ok_or_else(|| ApiError::new(ApiErrorKind::NotFound, "the store is gone"))
    }

    async fn write_store_status(
        &self,
        store: &StoreRecord,
        status: &SecretStoreStatus,
    ) -> Result<(), ApiError> {
        let context = self.context;
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

    fn holders(&self, store: &StoreRecord) -> Vec<String> {
        if !store.view.deleting || !has_finalizer(&store.metadata) {
            return Vec::new();
        }
        let mut names: Vec<String> = self.context.index.push_secrets().needing(&store.view);
        names.sort();
        names
    }

    fn checked(&self, store: &StoreRecord) {
        deletion_guard::remind(self.context, store);
    }

    fn publish_store(&self, store: &StoreRecord, event: &EventNote) {
        self.context.api.recorders.store(store, event);
    }
}
