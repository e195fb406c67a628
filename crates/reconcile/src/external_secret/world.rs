//! What a reconcile of an ExternalSecret may do to the world around it. Every write is conditional on the
//! version the object was read at. Its status and its events are no part of it: they are returned.

use std::collections::BTreeSet;
use std::future::Future;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::TargetDelete;
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::world::World;

/// Reads and writes around one ExternalSecret.
pub trait ExternalSecretWorld: World {
    /// Applies a merge patch to the object's finalizers and returns the object as it is then.
    fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> impl Future<Output = Result<ExternalSecret, ApiError>> + Send;

    /// Reads a Secret, labelled or not.
    fn read_secret(
        &self,
        namespace: &str,
        name: &str,
    ) -> impl Future<Output = Result<Option<Secret>, ApiError>> + Send;

    /// Creates a target under a field manager.
    fn create_secret(
        &self,
        secret: Secret,
        manager: &str,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Writes a target in place of the version it carries.
    fn replace_secret(
        &self,
        secret: Secret,
        manager: &str,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Deletes a target, if it is still the one that was seen.
    fn delete_secret(
        &self,
        namespace: &str,
        delete: &TargetDelete,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Creates a target that is no Secret.
    fn create_object(
        &self,
        target: &ObjectRef,
        _object: Object,
    ) -> impl Future<Output = Result<(), ApiError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Writes a target that is no Secret in place of the version it carries, and tells whether that
    /// changed anything.
    fn replace_object(
        &self,
        target: &ObjectRef,
        _object: Object,
    ) -> impl Future<Output = Result<bool, ApiError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Deletes a target that is no Secret, if it is still the one that was seen.
    fn delete_object(
        &self,
        target: &ObjectRef,
        _delete: &TargetDelete,
    ) -> impl Future<Output = Result<(), ApiError>> + Send {
        let error = no_objects(target);
        async { Err(error) }
    }

    /// Asks whether the target may be deleted because its remote secrets are absent from `stores`.
    fn absent(&self, _object: &ExternalSecret, _stores: &BTreeSet<StoreKey>) -> Deletion {
        Deletion::Allowed
    }
}

fn no_objects(target: &ObjectRef) -> ApiError {
    let text = format!("targets of kind {} are not kept here", target.kind);
    ApiError::new(ApiErrorKind::Invalid, text)
}

/// Whether a target may be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It may.
    Allowed,
    /// Read again then, and ask again.
    LookAgain(Timestamp),
    /// Too much of this store vanished at once.
    Held(StoreKey),
}
