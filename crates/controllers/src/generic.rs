//! Targets that are no Secrets: their kinds as the API server names them, and one watch a kind that
//! wakes the ExternalSecrets of whatever was touched. Objects are watched by their metadata only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{Stream, StreamExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Api;
use kube::core::discovery::Scope;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::discovery::pinned_kind;
use lockstep_api::keys::{FIELD_MANAGER, LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_plan::external_secret::TargetDelete;
use lockstep_plan::generic::{Object, ObjectRef};
use lockstep_reconcile::WorldError;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::health::Readiness;
use lockstep_runtime::watch::{self, Change, Guarded, watch};

use crate::shared::Shared;
use crate::watches::wake_writers;
use crate::world::world_error;
use lockstep_index::ObjectKey;
use lockstep_index::Relist;

/// API version and kind.
type Kind = (String, String);

/// What is decoded of a watched object.
type Watched = Guarded<PartialObjectMeta<DynamicObject>>;

/// What is known of the kinds of targets.
#[derive(Default)]
pub(crate) struct GenericTargets {
    known: Mutex<BTreeMap<Kind, ApiResource>>,
    watched: Mutex<BTreeSet<Kind>>,
}

impl GenericTargets {
    /// The kind as the API server names it; [`WorldError::NotFound`] where it has none.
    async fn resource(
        &self,
        client: &kube::Client,
        target: &ObjectRef,
    ) -> Result<ApiResource, WorldError> {
        let kind = kind_of(target);
        if let Some(resource) = lock(&self.known).get(&kind) {
            return Ok(resource.clone());
        }
        let (group, version) = target
            .api_version
            .split_once('/')
            .unwrap_or(("", &target.api_version));
        let wanted = GroupVersionKind::gvk(group, version, &target.kind);
        let (resource, capabilities) = match pinned_kind(client, &wanted).await {
            Ok(found) => found,
            Err(kube::Error::Discovery(_)) => return Err(WorldError::NotFound),
            Err(error) => return Err(world_error(ApiError::from(error))),
        };
        if capabilities.scope == Scope::Cluster {
            return Err(WorldError::Failed(format!(
                "{} objects have no namespace and cannot be targets",
                target.kind
            )));
        }
        lock(&self.known).insert(kind, resource.clone());
        Ok(resource)
    }

    /// Forgets a kind that may be gone.
    fn forget(&self, target: &ObjectRef) {
        lock(&self.known).remove(&kind_of(target));
    }
}

fn kind_of(target: &ObjectRef) -> Kind {
    (target.api_version.clone(), target.kind.clone())
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is complete in itself, so a panic elsewhere leaves it usable.
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn located(shared: &Shared, target: &ObjectRef) -> Result<ApiObject, WorldError> {
    let resource = shared.generic.resource(&shared.client, target).await?;
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
        shared.generic.forget(target);
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
    if lock(&shared.generic.watched).contains(&kind) {
        return;
    }
    let Ok(resource) = shared.generic.resource(&shared.client, target).await else {
        return;
    };
    if !lock(&shared.generic.watched).insert(kind) {
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
        wake(Arc::clone(&own), changes)
    });
}

/// Wakes the ExternalSecrets of whatever changed.
async fn wake(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<PartialObjectMeta<DynamicObject>>>,
) {
    let mut changes = std::pin::pin!(changes);
    let mut seen: BTreeMap<ObjectKey, String> = BTreeMap::new();
    let mut relist = Relist::default();
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => relist.begin(seen.keys().cloned()),
            Change::Applied(object) => {
                let key = key_of(&object.metadata);
                let version = object.metadata.resource_version.unwrap_or_default();
                relist.saw(&key);
                if seen.get(&key) != Some(&version) {
                    wake_writers(&shared, &key);
                    seen.insert(key, version);
                }
            }
            Change::Deleted(object) => {
                let key = key_of(&object.metadata);
                seen.remove(&key);
                wake_writers(&shared, &key);
            }
            Change::Synced => {
                for key in relist.end() {
                    seen.remove(&key);
                    wake_writers(&shared, &key);
                }
            }
            Change::Invalid(_) => {}
        }
    }
}

fn key_of(metadata: &ObjectMeta) -> ObjectKey {
    ObjectKey::new(
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}
