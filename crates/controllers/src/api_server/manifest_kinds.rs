//! Kinds of targets that are no Secrets, as the API server names them, and which of them are watched.

use std::collections::{BTreeMap, BTreeSet};

use kube::core::discovery::Scope;
use kube::core::{ApiResource, GroupVersionKind};
use kube::discovery::pinned_kind;
use lockstep_index::ManifestKind;
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use parking_lot::{Mutex, MutexGuard};

/// What is known of the kinds of targets.
#[derive(Default)]
pub(crate) struct ManifestKinds {
    known: Mutex<BTreeMap<ManifestKind, ApiResource>>,
    watched: Mutex<BTreeSet<ManifestKind>>,
}

impl ManifestKinds {
    /// The kind as the API server names it; [`ApiErrorKind::NotFound`] where it has none.
    pub(crate) async fn resource(
        &self,
        client: &kube::Client,
        target: &ObjectRef,
    ) -> Result<ApiResource, ApiError> {
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
            Err(kube::Error::Discovery(_)) => {
                let text = format!("there is no kind {}", target.kind);
                return Err(ApiError::new(ApiErrorKind::NotFound, text));
            }
            Err(error) => return Err(ApiError::from(error)),
        };
        if capabilities.scope == Scope::Cluster {
            let text = format!(
                "{} objects have no namespace and cannot be targets",
                target.kind
            );
            return Err(ApiError::new(ApiErrorKind::Invalid, text));
        }
        lock(&self.known).insert(kind, resource.clone());
        Ok(resource)
    }

    /// Whether the watch of a kind is under way.
    pub(crate) fn is_watched(&self, kind: &ManifestKind) -> bool {
        lock(&self.watched).contains(kind)
    }

    /// Notes that the watch of a kind is started; returns whether it was not before.
    pub(crate) fn watch(&self, kind: ManifestKind) -> bool {
        lock(&self.watched).insert(kind)
    }

    /// Forgets a kind that may be gone.
    pub(crate) fn forget(&self, target: &ObjectRef) {
        lock(&self.known).remove(&kind_of(target));
    }
}

/// API version and kind of a target.
pub(crate) fn kind_of(target: &ObjectRef) -> ManifestKind {
    (target.api_version.clone(), target.kind.clone())
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock()
}
