//! The finalizer of a PushSecret as merge patches. It is there while remote secrets may have to be
//! deleted with the object.

use lockstep_api::{PushSecret, keys};
use serde_json::Value;

use crate::meta;

/// Whether our finalizer is there.
pub(super) fn has_finalizer(object: &PushSecret) -> bool {
    meta::has_finalizer(&object.metadata, keys::FINALIZER_PUSH_SECRET)
}

/// Merge patch that adds our finalizer.
pub fn add_finalizer(object: &PushSecret) -> Value {
    meta::add_finalizer(&object.metadata, keys::FINALIZER_PUSH_SECRET)
}

/// Merge patch that removes our finalizer.
pub fn remove_finalizer(object: &PushSecret) -> Value {
    meta::remove_finalizer(&object.metadata, keys::FINALIZER_PUSH_SECRET)
}
