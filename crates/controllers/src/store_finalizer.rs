//! The finalizer of stores: sends a store to a run when what PushSecrets need of it changed, and
//! writes the finalizer in that run. Whether it is needed is decided in `lockstep-plan`.

use std::sync::Arc;

use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ClusterSecretStore, SecretStore};
use lockstep_plan::StoreKind;
use lockstep_plan::push_secret::StoreUses;
use lockstep_plan::store::{has_finalizer, settle_finalizer};
use lockstep_reconcile::WorldError;
use lockstep_remote::StoreRecord;

use crate::shared::Shared;
use crate::watches::check_store;
use crate::world::{target, world_error};

/// A PushSecret changed: stores whose finalizer is no longer right run.
pub(crate) fn changed(shared: &Shared, before: Option<&StoreUses>, after: Option<&StoreUses>) {
    if before.is_none() && after.is_none() || !shared.pushes_listed.is_open() {
        return;
    }
    for store in all(shared) {
        let needs = |uses: Option<&StoreUses>| uses.is_some_and(|uses| uses.needs(&store.view));
        let missing = needs(after) && !has_finalizer(&store.metadata) && !store.view.deleting;
        let idle = || needs(before) && !needs(after) && has_finalizer(&store.metadata);
        let holders_changed = store.view.deleting && needs(before) != needs(after);
        if missing || holders_changed || idle() && !shared.index.push_secrets().need(&store.view) {
            check_store(shared, store.key.clone());
        }
    }
}

/// All PushSecrets are known: stores whose finalizer is not right run.
pub(crate) fn check_all(shared: &Shared) {
    for store in all(shared) {
        let needed = shared.index.push_secrets().need(&store.view);
        if settle_finalizer(&store.metadata, needed).is_some() {
            check_store(shared, store.key.clone());
        }
    }
}

/// The PushSecrets that a store which is being deleted waits for, as `namespace/name`, in order.
pub(crate) fn holders(shared: &Shared, store: &StoreRecord) -> Vec<String> {
    if !store.view.deleting || !has_finalizer(&store.metadata) {
        return Vec::new();
    }
    let mut names: Vec<String> = shared.index.push_secrets().needing(&store.view);
    names.sort();
    names
}

fn all(shared: &Shared) -> Vec<Arc<StoreRecord>> {
    let stores = shared.index.stores();
    let kinds = [StoreKind::SecretStore, StoreKind::ClusterSecretStore];
    let all = kinds.into_iter().flat_map(|kind| stores.of_kind(kind));
    all.cloned().collect()
}

/// Makes the finalizer of a store as it should be; returns the store as it is then. Without all
/// PushSecrets known it stays as it is; with PushSecrets switched off nobody needs it.
pub(crate) async fn settle(
    shared: &Shared,
    store: Arc<StoreRecord>,
) -> Result<Arc<StoreRecord>, WorldError> {
    let pushes = shared.settings().push_secrets;
    let foreign = store.view.is_foreign_to(&shared.settings().class);
    if foreign || pushes && !shared.pushes_listed.is_open() {
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
