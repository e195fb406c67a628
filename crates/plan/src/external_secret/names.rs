//! Hashes by which an ExternalSecret is known in its status and on its targets.

use lockstep_api::ExternalSecret;

use crate::meta;
use crate::target::owner_hash;

/// Value of the created-by label of targets this object owns.
pub fn created_by(object: &ExternalSecret) -> String {
    owner_hash(namespace(object), name(object))
}

/// The generation, labels and annotations of the object as `status.syncedResourceVersion` has
/// them.
pub fn synced_resource_version(object: &ExternalSecret) -> String {
    meta::synced_resource_version(&object.metadata)
}

pub(super) fn name(object: &ExternalSecret) -> &str {
    object.metadata.name.as_deref().unwrap_or_default()
}

pub(super) fn namespace(object: &ExternalSecret) -> &str {
    object.metadata.namespace.as_deref().unwrap_or_default()
}

pub(super) fn uid(object: &ExternalSecret) -> &str {
    object.metadata.uid.as_deref().unwrap_or_default()
}
