//! Hashes by which an ExternalSecret is known in its status and on its targets.

use std::collections::BTreeMap;

use lockstep_api::ExternalSecret;
use lockstep_golang::fmt::metadata_hash;

use crate::target::owner_hash;

/// Value of the created-by label of targets this object owns.
pub fn created_by(object: &ExternalSecret) -> String {
    owner_hash(namespace(object), name(object))
}

/// The generation, labels and annotations of the object as `status.syncedResourceVersion` has
/// them.
pub fn synced_resource_version(object: &ExternalSecret) -> String {
    let metadata = &object.metadata;
    let hash = metadata_hash(
        pairs(metadata.annotations.as_ref()),
        pairs(metadata.labels.as_ref()),
    );
    format!("{}-{hash}", metadata.generation.unwrap_or_default())
}

fn pairs(map: Option<&BTreeMap<String, String>>) -> impl Iterator<Item = (&str, &str)> {
    map.into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str()))
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
