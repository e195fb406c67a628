//! What reconciles of GeneratorStates read and write at the API server.

use k8s_openapi::api::core::v1::Namespace;
use kube::core::PartialObjectMeta;
use lockstep_api::GeneratorState;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_reconcile::generator_state::GeneratorStateWorld;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::{ApiObject, Written};
use serde_json::Value;

use crate::api_server::target;
use crate::world::ClusterWorld;

impl GeneratorStateWorld for ClusterWorld<'_> {
    async fn read_state(&self, namespace: &str, name: &str) -> Result<GeneratorState, ApiError> {
        let target = ApiObject::of::<GeneratorState>(Some(namespace), name);
        target.require(&self.context.api.client).await
    }

    async fn patch_state(&self, state: &GeneratorState, patch: &Value) -> Result<(), ApiError> {
        let target = target::<GeneratorState>(&state.metadata);
        let writer = &self.context.api.writer;
        let written = writer.merge(&target, patch, Some(FIELD_MANAGER)).await;
        written.map(|_: Written| ())
    }

    async fn delete_state(&self, state: &GeneratorState) -> Result<(), ApiError> {
        let target = target::<GeneratorState>(&state.metadata);
        let uid = state.metadata.uid.as_deref().unwrap_or_default();
        self.context.api.writer.delete(&target, uid, None).await
    }

    async fn is_terminating(&self, namespace: &str) -> bool {
        let target = ApiObject::of::<Namespace>(None, namespace);
        let read = target.get::<PartialObjectMeta<Namespace>>(&self.context.api.client);
        match read.await {
            Ok(Some(namespace)) => namespace.metadata.deletion_timestamp.is_some(),
            Ok(None) => true,
            Err(_) => false,
        }
    }
}
