//! Targets that are no Secrets: reads and writes them, and starts one watch a kind that requeues the
//! ExternalSecrets of whatever changed. Objects are watched by their metadata only.

use std::sync::Arc;

use kube::Api;
use kube::core::{DynamicObject, PartialObjectMeta};
use lockstep_api::keys::{FIELD_MANAGER, LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_index::{Event, Seen};
use lockstep_plan::external_secret::TargetDelete;
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_reconcile::WorldError;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::health::Readiness;
use lockstep_runtime::watch::{self, Guarded, watch};

use crate::api::world_error;
use crate::gate::Gate;
use crate::manifest_kinds::kind_of;
use crate::shared::Shared;
use crate::watch_loop::follow;

/// What is decoded of a watched object.
type Watched = Guarded<PartialObjectMeta<DynamicObject>>;

async fn located(shared: &Shared, target: &ObjectRef) -> Result<ApiObject, WorldError> {
    let resource = shared.manifests.resource(&shared.client, target).await?;
    Ok(ApiObject::dynamic(
        &resource,
        Some(&target.namespace),
        &target.name,
    ))
}

/// Reads a target.
pub(crate) async fn read(
    shared: &Shared,
    target: &ObjectRef,
) -> Result<Option<Object>, WorldError> {
    let located = located(shared, target).await?;
    located.get(&shared.client).await.map_err(world_error)
}

/// Creates a target.
pub(crate) async fn create(
    shared: &Shared,
    target: &ObjectRef,
    object: &Object,
) -> Result<(), WorldError> {
    let located = located(shared, target).await?;
    let manager = Some(FIELD_MANAGER);
    let created = shared.writer.create(&located, object, manager).await;
    let created: Result<Written, WorldError> = created.map_err(world_error);
    if created == Err(WorldError::NotFound) {
        shared.manifests.forget(target);
    }
    created.map(drop)
}

/// Writes a target in place of the version it carries, and tells whether that changed anything.
pub(crate) async fn replace(
    shared: &Shared,
    target: &ObjectRef,
    object: &Object,
) -> Result<bool, WorldError> {
    let located = located(shared, target).await?;
    let manager = Some(FIELD_MANAGER);
    let written = shared.writer.replace(&located, object, manager).await;
    let written: Written = written.map_err(world_error)?;
    Ok(Some(written.resource_version) != object.metadata().resource_version)
}

/// Deletes a target, if it is still the one that was seen.
pub(crate) async fn delete(
    shared: &Shared,
    target: &ObjectRef,
    delete: &TargetDelete,
) -> Result<(), WorldError> {
    let located = located(shared, target).await?;
    let version = Some(delete.resource_version.as_str());
    let deleted = shared.writer.delete(&located, &delete.uid, version).await;
    deleted.map_err(world_error)
}

/// Watches the kind of a target, from the first time it is met.
pub(crate) async fn watch_kind(shared: &Arc<Shared>, target: &ObjectRef) {
    let kind = kind_of(target);
    if shared.manifests.is_watched(&kind) {
        return;
    }
    let Ok(resource) = shared.manifests.resource(&shared.client, target).await else {
        return;
    };
    if !shared.manifests.watch(kind.clone()) {
        return;
    }
    let client = shared.client.clone();
    let api: Api<Watched> = match &shared.namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    };
    let settings = watch::Settings {
        labels: Some(format!("{LABEL_MANAGED}={LABEL_MANAGED_VALUE}")),
        ..shared.watch_settings()
    };
    // The operator is ready without it: targets are looked at with every refresh in any case.
    let component = Readiness::default().register(resource.plural.clone());
    let own = Arc::clone(shared);
    shared.background.keep("generic targets", move || {
        let changes = watch(api.clone(), settings.clone(), component.clone());
        let kind = kind.clone();
        let event = move |seen: Seen<PartialObjectMeta<DynamicObject>>| {
            Event::ManifestTarget(kind.clone(), seen.map(|object| object.metadata))
        };
        follow(Arc::clone(&own), changes, Gate::default(), event)
    });
}
