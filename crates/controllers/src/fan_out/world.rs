//! What reconciles of ClusterExternalSecrets and ClusterPushSecrets read and write at the API server.

use k8s_openapi::api::core::v1::Namespace;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_plan::fan_out::{OwnedChild, Parent};
use lockstep_reconcile::fan_out::FanOutWorld;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::{ApiObject, Written};
use serde_json::Value;

use super::kind::FanOut;
use crate::api_server::target;
use crate::world::ClusterWorld;

const MANAGER: Option<&str> = Some(FIELD_MANAGER);

fn child<P: FanOut>(namespace: &str, name: &str) -> ApiObject {
    ApiObject::of::<P::Child>(Some(namespace), name)
}

impl<P: FanOut> FanOutWorld<P> for ClusterWorld<'_> {
    async fn patch_parent(&self, object: &P, patch: &Value) -> Result<P, ApiError> {
        let target = target::<P>(Parent::metadata(object));
        let writer = &self.context.api.writer;
        let patched: P = writer.merge(&target, patch, MANAGER).await?;
        P::rows(&self.context.index).answered(patched.clone());
        Ok(patched)
    }

    async fn mark_namespace(&self, namespace: &str, patch: &Value) -> Result<(), ApiError> {
        let target = ApiObject::of::<Namespace>(None, namespace);
        let writer = &self.context.api.writer;
        let marked: Namespace = writer.merge(&target, patch, MANAGER).await?;
        // The next reconcile must not see the namespace as it was.
        self.context.index.namespaces().answered(marked.metadata);
        Ok(())
    }

    async fn read_child(&self, namespace: &str, name: &str) -> Result<Option<P::Child>, ApiError> {
        let target = child::<P>(namespace, name);
        target.get(&self.context.api.client).await
    }

    async fn create_child(
        &self,
        namespace: &str,
        name: &str,
        object: &P::Child,
    ) -> Result<(), ApiError> {
        let target = child::<P>(namespace, name);
        let created = self.context.api.writer.create(&target, object, MANAGER);
        created.await.map(|_: Written| ())
    }

    async fn replace_child(
        &self,
        namespace: &str,
        name: &str,
        object: &P::Child,
    ) -> Result<(), ApiError> {
        let target = child::<P>(namespace, name);
        let written = self.context.api.writer.replace(&target, object, MANAGER);
        written.await.map(|_: Written| ())
    }

    async fn delete_child(&self, owned: &OwnedChild) -> Result<(), ApiError> {
        let target = child::<P>(&owned.namespace, &owned.name);
        let writer = &self.context.api.writer;
        writer.delete(&target, &owned.uid, None).await
    }
}
