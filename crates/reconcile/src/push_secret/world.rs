//! What a reconcile of a PushSecret may do to the world around it. Its events are no part of it, and its
//! status only where it must be written before the finalizer: they are returned.

use std::collections::BTreeMap;
use std::future::Future;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use lockstep_api::PushSecret;
use lockstep_api::push_secret::PushSecretStatus;
use lockstep_plan::push_secret::Source;
use lockstep_provider_api::Result;
use lockstep_runtime::api_error::ApiError;

use crate::world::World;

/// Reads and writes around one PushSecret.
pub trait PushSecretWorld: World {
    /// Applies a merge patch to the object's finalizers and returns the object as it is then.
    fn patch_push(
        &self,
        object: &PushSecret,
        patch: &serde_json::Value,
    ) -> impl Future<Output = std::result::Result<PushSecret, ApiError>> + Send;

    /// Makes the object's status this one and returns the object as it is then.
    fn write_push_status(
        &self,
        object: &PushSecret,
        status: &PushSecretStatus,
    ) -> impl Future<Output = std::result::Result<PushSecret, ApiError>> + Send;

    /// Reads the Secret to push; `None` only when the server said that there is none.
    fn source_secret(
        &self,
        namespace: &str,
        name: &str,
    ) -> impl Future<Output = Result<Option<Source>>> + Send;

    /// Reads the Secrets to push by their labels, by name.
    fn source_secrets(
        &self,
        namespace: &str,
        selector: &LabelSelector,
    ) -> impl Future<Output = Result<BTreeMap<String, Source>>> + Send;
}
