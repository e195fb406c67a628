//! The world of an API server. Every answer to a write goes straight into the mirror, so the next
//! run does not wait for the watch and the watch's echo starts no run.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ExternalSecret, ExternalSecretStatus};
use lockstep_engine::{Generator, World, WorldError};
use lockstep_plan::EventNote;
use lockstep_plan::external_secret::{SourceKey, SourceKind, TargetDelete};
use lockstep_provider::{Error, SecretMap, SecretValue};
use lockstep_runtime::failure::{Failure, FailureKind};

use crate::events::about_external_secret;
use crate::key::ObjectKey;
use crate::mirror::Touch;
use crate::shared::Shared;

/// Reads and writes of ExternalSecrets and their targets.
pub(crate) struct ClusterWorld<'a> {
    pub(crate) shared: &'a Shared,
}

impl ClusterWorld<'_> {
    fn objects(&self, object: &ExternalSecret) -> Api<ExternalSecret> {
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
        Api::namespaced(self.shared.client.clone(), namespace)
    }

    fn secrets(&self, namespace: &str) -> Api<Secret> {
        Api::namespaced(self.shared.client.clone(), namespace)
    }

    /// Takes the answer to our own write; a change by someone else that it shows is worth a run.
    fn saw(&self, object: ExternalSecret) {
        let (key, touch) = self.shared.mirror.external_secrets().apply(object);
        if touch == Touch::Changed {
            self.shared.queues.external_secrets.fresh(key);
        }
    }

    fn saw_secret(&self, secret: Secret) {
        self.shared.mirror.targets().apply(secret, &self.shared.settings().salt);
    }
}

impl World for ClusterWorld<'_> {
    async fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> Result<ExternalSecret, WorldError> {
        let name = object.metadata.name.as_deref().unwrap_or_default();
        let patched = self.objects(object).patch(name, &params(), &Patch::Merge(patch)).await;
        let patched = patched.map_err(world_error)?;
        // The finalizer we asked for must not look like a change by someone else.
        self.shared.mirror.external_secrets().apply(patched.clone());
        Ok(patched)
    }

    async fn write_status(
        &self,
        object: &ExternalSecret,
        status: &ExternalSecretStatus,
    ) -> Result<(), WorldError> {
        let name = object.metadata.name.as_deref().unwrap_or_default();
        let patch = serde_json::json!({ "status": status });
        let written =
            self.objects(object).patch_status(name, &params(), &Patch::Merge(&patch)).await;
        let written = written.map_err(world_error)?;
        let kept = written.status.as_ref().and_then(|status| status.observed_generation);
        if status.observed_generation.is_some() && kept.is_none() {
            self.shared.note_pruned_generation();
        }
        self.saw(written);
        Ok(())
    }

    async fn read_secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, WorldError> {
        self.secrets(namespace).get_opt(name).await.map_err(world_error)
    }

    async fn create_secret(&self, secret: Secret, manager: &str) -> Result<(), WorldError> {
        let namespace = secret.metadata.namespace.clone().unwrap_or_default();
        let created = self.secrets(&namespace).create(&post(manager), &secret).await;
        self.saw_secret(created.map_err(world_error)?);
        Ok(())
    }

    async fn replace_secret(&self, secret: Secret, manager: &str) -> Result<(), WorldError> {
        let namespace = secret.metadata.namespace.clone().unwrap_or_default();
        let name = secret.metadata.name.clone().unwrap_or_default();
        let replaced = self.secrets(&namespace).replace(&name, &post(manager), &secret).await;
        self.saw_secret(replaced.map_err(world_error)?);
        Ok(())
    }

    async fn delete_secret(
        &self,
        namespace: &str,
        delete: &TargetDelete,
    ) -> Result<(), WorldError> {
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: Some(delete.uid.clone()),
            resource_version: Some(delete.resource_version.clone()),
        });
        self.secrets(namespace).delete(&delete.name, &params).await.map_err(world_error)?;
        self.shared.mirror.targets().remove(&ObjectKey::new(namespace, &delete.name));
        Ok(())
    }

    async fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> Result<SecretMap, String> {
        let client = self.shared.client.clone();
        let text = |error: kube::Error| Failure::from(error).to_string();
        match source.kind {
            SourceKind::Secret => {
                let secret = self.secrets(namespace).get(&source.name).await.map_err(text)?;
                let data = secret.data.unwrap_or_default().into_iter();
                Ok(data.map(|(key, value)| (key, SecretValue::new(value.0))).collect())
            }
            SourceKind::ConfigMap => {
                let api: Api<ConfigMap> = Api::namespaced(client, namespace);
                let data = api.get(&source.name).await.map_err(text)?.data.unwrap_or_default();
                Ok(data.into_iter().map(|(key, value)| (key, value.into())).collect())
            }
        }
    }

    async fn generator(
        &self,
        namespace: &str,
        reference: &GeneratorRef,
    ) -> Result<Generator, Error> {
        crate::generator::read(&self.shared.client, namespace, reference).await
    }

    fn publish(&self, object: &ExternalSecret, event: EventNote) {
        about_external_secret(&self.shared.recorders, object, &event);
    }
}

/// Parameters of patches: the field manager users know from the original operator.
pub(crate) fn params() -> PatchParams {
    PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() }
}

fn post(manager: &str) -> PostParams {
    PostParams { field_manager: Some(manager.to_owned()), ..PostParams::default() }
}

pub(crate) fn world_error(error: kube::Error) -> WorldError {
    let failure = Failure::from(error);
    match failure.kind() {
        FailureKind::Conflict => WorldError::Conflict(failure.to_string()),
        FailureKind::AlreadyExists => WorldError::AlreadyExists,
        FailureKind::NotFound => WorldError::NotFound,
        _ => WorldError::Failed(failure.to_string()),
    }
}
