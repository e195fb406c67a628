//! What reconciles of stores read and write at the API server.

use std::sync::Arc;

use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterSecretStore, SecretStore};
use lockstep_plan::StoreKind;
use lockstep_plan::store::StoreRecord;
use lockstep_reconcile::store::StoreWorld;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use serde_json::Value;

use crate::api_server::target;
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
}
