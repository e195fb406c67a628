//! What a reconcile of a GeneratorState may do to the world around it.

use std::future::Future;

use lockstep_api::GeneratorState;
use lockstep_runtime::api_error::ApiError;
use serde_json::Value;

/// Reads and writes around one state.
pub trait GeneratorStateWorld: Send + Sync {
    /// Reads the state.
    fn read_state(
        &self,
        namespace: &str,
        name: &str,
    ) -> impl Future<Output = Result<GeneratorState, ApiError>> + Send;

    /// Applies a merge patch to the state's finalizers.
    fn patch_state(
        &self,
        state: &GeneratorState,
        patch: &Value,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Deletes the state, if it is still the one that was seen.
    fn delete_state(
        &self,
        state: &GeneratorState,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Whether the namespace is gone or going.
    fn is_terminating(&self, namespace: &str) -> impl Future<Output = bool> + Send;
}
