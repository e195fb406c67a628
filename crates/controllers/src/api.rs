//! Objects and errors of the API server in the words of `lockstep-reconcile`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use lockstep_reconcile::WorldError;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::ApiObject;

/// The object that metadata names.
pub(crate) fn target<K: Resource<DynamicType = ()>>(metadata: &ObjectMeta) -> ApiObject {
    ApiObject::of::<K>(
        metadata.namespace.as_deref(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}

/// Maps a failed request to what a reconcile distinguishes.
pub(crate) fn world_error(failure: ApiError) -> WorldError {
    match failure.kind() {
        ApiErrorKind::Conflict => WorldError::Conflict(failure.to_string()),
        ApiErrorKind::AlreadyExists => WorldError::AlreadyExists,
        ApiErrorKind::NotFound => WorldError::NotFound,
        _ => WorldError::Failed(failure.to_string()),
    }
}
