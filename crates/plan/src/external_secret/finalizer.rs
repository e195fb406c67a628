//! The finalizer of an ExternalSecret as merge patches. They carry the resourceVersion seen, so
//! that a finalizer someone else added meanwhile is not lost.

use lockstep_api::{ExternalSecret, keys};
use serde_json::{Value, json};

/// Whether our finalizer is there.
pub(super) fn has_finalizer(object: &ExternalSecret) -> bool {
    finalizers(object).any(is_ours)
}

/// Merge patch that adds our finalizer.
pub fn add_finalizer(object: &ExternalSecret) -> Value {
    let kept = finalizers(object).filter(|finalizer| !is_ours(finalizer));
    patch(
        object,
        kept.chain([keys::FINALIZER_EXTERNAL_SECRET]).collect(),
    )
}

/// Merge patch that removes our finalizer.
pub fn remove_finalizer(object: &ExternalSecret) -> Value {
    patch(
        object,
        finalizers(object)
            .filter(|finalizer| !is_ours(finalizer))
            .collect(),
    )
}

fn is_ours(finalizer: &str) -> bool {
    finalizer == keys::FINALIZER_EXTERNAL_SECRET
}

fn finalizers(object: &ExternalSecret) -> impl Iterator<Item = &str> {
    object
        .metadata
        .finalizers
        .iter()
        .flatten()
        .map(String::as_str)
}

fn patch(object: &ExternalSecret, finalizers: Vec<&str>) -> Value {
    let mut metadata = json!({ "finalizers": finalizers });
    if let (Some(version), Some(fields)) =
        (&object.metadata.resource_version, metadata.as_object_mut())
    {
        fields.insert("resourceVersion".to_owned(), json!(version));
    }
    json!({ "metadata": metadata })
}
