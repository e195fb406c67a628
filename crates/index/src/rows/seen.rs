//! What the mirror compares of an object of ours: whether it is newer than the row, and whether
//! something a run would look at differs.

use std::hash::{DefaultHasher, Hash, Hasher};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// What a run depends on and the watch can tell. Status is left out: our own writes must not start
/// a run.
pub(super) fn trigger(meta: &ObjectMeta, finalizer: &str) -> u64 {
    hash(meta, has(meta, finalizer))
}

/// Whether the object differs from the one with trigger `before` by nothing but the finalizer that it has
/// now. That is our own write, and the watch may show it before its answer comes.
pub(super) fn is_only_claimed(meta: &ObjectMeta, finalizer: &str, before: u64) -> bool {
    has(meta, finalizer) && hash(meta, false) == before
}

fn has(meta: &ObjectMeta, finalizer: &str) -> bool {
    let mut finalizers = meta.finalizers.iter().flatten();
    finalizers.any(|name| name == finalizer)
}

fn hash(meta: &ObjectMeta, is_claimed: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    meta.uid.hash(&mut hasher);
    meta.generation.hash(&mut hasher);
    meta.labels.hash(&mut hasher);
    meta.annotations.hash(&mut hasher);
    meta.deletion_timestamp.is_some().hash(&mut hasher);
    is_claimed.hash(&mut hasher);
    hasher.finish()
}

/// The resource version as a number; zero where it is none, so that such objects are always taken.
pub(super) fn version(meta: &ObjectMeta) -> u64 {
    let version = meta.resource_version.as_deref();
    version
        .and_then(|version| version.parse().ok())
        .unwrap_or_default()
}

/// A number for a store or an object: others have other ones.
pub fn number_of(named: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    named.hash(&mut hasher);
    hasher.finish()
}
