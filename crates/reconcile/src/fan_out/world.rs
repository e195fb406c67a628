//! What a reconcile of an object with children in many namespaces may do to the world around it. Its status
//! and its events are no part of it: they are returned.

use std::future::Future;

use lockstep_plan::fan_out::{OwnedChild, Parent};
use lockstep_runtime::api_error::ApiError;
use serde_json::Value;

/// Reads and writes around one object and its children.
pub trait FanOutWorld<P: Parent>: Send + Sync {
    /// Applies a merge patch to the object's finalizers and returns the object as it is then.
    fn patch_parent(
        &self,
        object: &P,
        patch: &Value,
    ) -> impl Future<Output = Result<P, ApiError>> + Send;

    /// Applies a merge patch to the finalizers of a namespace.
    fn mark_namespace(
        &self,
        namespace: &str,
        patch: &Value,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Reads a child.
    fn read_child(
        &self,
        namespace: &str,
        name: &str,
    ) -> impl Future<Output = Result<Option<P::Child>, ApiError>> + Send;

    /// Creates a child.
    fn create_child(
        &self,
        namespace: &str,
        name: &str,
        child: &P::Child,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Writes a child in place of the version it carries.
    fn replace_child(
        &self,
        namespace: &str,
        name: &str,
        child: &P::Child,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Deletes a child, if it is still the one that was seen.
    fn delete_child(&self, child: &OwnedChild)
    -> impl Future<Output = Result<(), ApiError>> + Send;
}
