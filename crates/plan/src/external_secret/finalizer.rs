//! The finalizer of an ExternalSecret as merge patches.

use lockstep_api::{ExternalSecret, keys};
use serde_json::Value;

use crate::meta;

/// Whether our finalizer is there.
pub(super) fn has_finalizer(object: &ExternalSecret) -> bool {
    meta::has_finalizer(&object.metadata, keys::FINALIZER_EXTERNAL_SECRET)
}

/// Merge patch that adds our finalizer.
pub fn add_finalizer(object: &ExternalSecret) -> Value {
    meta::add_finalizer(&object.metadata, keys::FINALIZER_EXTERNAL_SECRET)
}

/// Merge patch that removes our finalizer.
pub fn remove_finalizer(object: &ExternalSecret) -> Value {
    meta::remove_finalizer(&object.metadata, keys::FINALIZER_EXTERNAL_SECRET)
}
