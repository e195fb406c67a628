//! What reconciles of ExternalSecrets read and write at the API server.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{TargetDelete, period};
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_reconcile::external_secret::{Deletion, ExternalSecretWorld};
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::ApiObject;

use crate::api_server::target;
use crate::context::Context;
use crate::deletion_guard;
use crate::world::ClusterWorld;

impl ClusterWorld<'_> {
    fn saw_secret(&self, secret: Secret) {
        let wakes = self
            .context
            .index
            .target_answered(secret, self.context.now());
        self.context.carry_out(wakes);
    }

    /// Notes that a write to a Secret is on its way.
    fn writes(&self, secret: &Secret) -> OnItsWay<'_> {
        let key = ObjectKey::of(&secret.metadata);
        self.context.index.targets().begin_write(key.clone());
        OnItsWay {
            context: self.context,
            key,
        }
    }
}

/// A write to a Secret. Without an answer it counts as failed.
struct OnItsWay<'a> {
    context: &'a Context,
    key: ObjectKey,
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        let context = self.context;
        context.carry_out(context.index.target_write_ended(&self.key, context.now()));
    }
}

impl ExternalSecretWorld for ClusterWorld<'_> {
    async fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> Result<ExternalSecret, ApiError> {
        let target = target::<ExternalSecret>(&object.metadata);
        let patched = self
            .context
            .api
            .writer
            .merge(&target, patch, Some(FIELD_MANAGER))
            .await;
        let patched: ExternalSecret = patched?;
        // The finalizer we asked for must not look like a change by someone else.
        let now = self.context.now();
        let mut rows = self.context.index.external_secrets();
        rows.answered(patched.clone(), now);
        drop(rows);
        Ok(patched)
    }

    async fn read_secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, ApiError> {
        let target = ApiObject::of::<Secret>(Some(namespace), name);
        target.get(&self.context.api.client).await
    }

    async fn create_secret(&self, secret: Secret, manager: &str) -> Result<(), ApiError> {
        let target = target::<Secret>(&secret.metadata);
        let _write = self.writes(&secret);
        let created = self
            .context
            .api
            .writer
            .create(&target, &secret, Some(manager))
            .await;
        self.saw_secret(created?);
        Ok(())
    }

    async fn replace_secret(&self, secret: Secret, manager: &str) -> Result<(), ApiError> {
        let target = target::<Secret>(&secret.metadata);
        let _write = self.writes(&secret);
        let replaced = self
            .context
            .api
            .writer
            .replace(&target, &secret, Some(manager))
            .await;
        self.saw_secret(replaced?);
        Ok(())
    }

    async fn delete_secret(&self, namespace: &str, delete: &TargetDelete) -> Result<(), ApiError> {
        let target = ApiObject::of::<Secret>(Some(namespace), &delete.name);
        let version = Some(delete.resource_version.as_str());
        let deleted = self
            .context
            .api
            .writer
            .delete(&target, &delete.uid, version)
            .await;
        deleted?;
        self.context
            .index
            .targets()
            .remove(&ObjectKey::new(namespace, &delete.name));
        Ok(())
    }

    async fn create_object(&self, target: &ObjectRef, object: Object) -> Result<(), ApiError> {
        self.context.api.create_object(target, &object).await
    }

    async fn replace_object(&self, target: &ObjectRef, object: Object) -> Result<bool, ApiError> {
        self.context.api.replace_object(target, &object).await
    }

    async fn delete_object(
        &self,
        target: &ObjectRef,
        delete: &TargetDelete,
    ) -> Result<(), ApiError> {
        self.context.api.delete_object(target, delete).await
    }

    fn absent(&self, object: &ExternalSecret, stores: &BTreeSet<StoreKey>) -> Deletion {
        let interval = period(object).unwrap_or_default();
        let key = ObjectKey::of(&object.metadata);
        deletion_guard::ask(self.context, (&key, interval), stores)
    }
}
