//! The finalizer of stores, written when a store is reconciled. Whether it is needed is decided in
//! `lockstep-plan`.

use std::sync::Arc;

use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterSecretStore, SecretStore};
use lockstep_plan::StoreKind;
use lockstep_plan::store::{has_finalizer, settle_finalizer};
use lockstep_reconcile::WorldError;
use lockstep_remote::StoreRecord;

use crate::api::{target, world_error};
use crate::shared::Shared;

/// The PushSecrets that a store which is being deleted waits for, as `namespace/name`, in order.
pub(crate) fn holders(shared: &Shared, store: &StoreRecord) -> Vec<String> {
    if !store.view.deleting || !has_finalizer(&store.metadata) {
        return Vec::new();
    }
    let mut names: Vec<String> = shared.index.push_secrets().needing(&store.view);
    names.sort();
    names
}

/// Makes the finalizer of a store as it should be; returns the store as it is then. Without all
/// PushSecrets known it stays as it is; with PushSecrets switched off nobody needs it.
pub(crate) async fn settle(
    shared: &Shared,
    store: Arc<StoreRecord>,
) -> Result<Arc<StoreRecord>, WorldError> {
    let pushes = shared.settings().push_secrets;
    let foreign = store.view.is_foreign_to(&shared.settings().class);
    if foreign || pushes && !shared.index.push_secrets().is_listed() {
        return Ok(store);
    }
    let needed = pushes && shared.index.push_secrets().need(&store.view);
    let Some(patch) = settle_finalizer(&store.metadata, needed) else {
        return Ok(store);
    };
    let manager = Some(FIELD_MANAGER);
    let written = match store.key.kind {
        StoreKind::SecretStore => {
            let target = target::<SecretStore>(&store.metadata);
            let written = shared.writer.merge(&target, &patch, manager).await;
            written.map(|store: SecretStore| StoreRecord::from(store))
        }
        StoreKind::ClusterSecretStore => {
            let target = target::<ClusterSecretStore>(&store.metadata);
            let written = shared.writer.merge(&target, &patch, manager).await;
            written.map(|store: ClusterSecretStore| StoreRecord::from(store))
        }
    };
    let written = written.map_err(world_error)?;
    tracing::debug!(store = %store.key, needed, "finalizer settled");
    // Straight into the index: our own write is no change to react to. A store that this let go, or
    // that was deleted meanwhile, stays out.
    let mut stores = shared.index.stores();
    let answered = stores.answered(written);
    answered
        .and_then(|(key, _)| stores.get(&key))
        .ok_or(WorldError::NotFound)
}
