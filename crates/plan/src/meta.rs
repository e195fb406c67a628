//! What decisions read from and write to the metadata of our own kinds: the version that was synced,
//! finalizers as merge patches, and a number by which objects are spread over time.

use std::collections::BTreeMap;
use std::hash::Hasher;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_golang::fmt::metadata_hash;
use serde_json::{Value, json};

/// Generation, labels and annotations as `status.syncedResourceVersion` has them.
pub(crate) fn synced_resource_version(meta: &ObjectMeta) -> String {
    let hash = metadata_hash(
        pairs(meta.annotations.as_ref()),
        pairs(meta.labels.as_ref()),
    );
    format!("{}-{hash}", meta.generation.unwrap_or_default())
}

fn pairs(map: Option<&BTreeMap<String, String>>) -> impl Iterator<Item = (&str, &str)> {
    map.into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str()))
}

/// A number from 0 up to 1 that belongs to the object.
pub(crate) fn share_of(meta: &ObjectMeta) -> f64 {
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    hasher.write(meta.uid.as_deref().unwrap_or_default().as_bytes());
    let share = u32::try_from(hasher.finish() % 1_000_000).unwrap_or_default();
    f64::from(share) / 1_000_000.0
}

/// Whether a finalizer is there.
pub(crate) fn has_finalizer(meta: &ObjectMeta, name: &str) -> bool {
    finalizers(meta).any(|finalizer| finalizer == name)
}

/// Merge patch that adds a finalizer. It carries the version seen, so that a finalizer someone else
/// added meanwhile is not lost.
pub(crate) fn add_finalizer(meta: &ObjectMeta, name: &str) -> Value {
    let kept = finalizers(meta).filter(|finalizer| *finalizer != name);
    patch(meta, kept.chain([name]).collect())
}

/// Merge patch that removes a finalizer, under the same condition.
pub(crate) fn remove_finalizer(meta: &ObjectMeta, name: &str) -> Value {
    let kept = finalizers(meta).filter(|finalizer| *finalizer != name);
    patch(meta, kept.collect())
}

fn finalizers(meta: &ObjectMeta) -> impl Iterator<Item = &str> {
    meta.finalizers.iter().flatten().map(String::as_str)
}

fn patch(meta: &ObjectMeta, finalizers: Vec<&str>) -> Value {
    let mut metadata = json!({ "finalizers": finalizers });
    if let (Some(version), Some(fields)) = (&meta.resource_version, metadata.as_object_mut()) {
        fields.insert("resourceVersion".to_owned(), json!(version));
    }
    json!({ "metadata": metadata })
}
