//! The world of an API server for PushSecrets. Answers to writes go straight into the index; values
//! of sources live as long as the run that reads them.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use lockstep_api::PushSecret;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::push_secret::PushSecretStatus;
use lockstep_plan::push_secret::{Source, status_patch};
use lockstep_plan::selector;
use lockstep_provider_api::{Error, Result, SecretValue};
use lockstep_reconcile::push_secret::PushSecretWorld;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::{ApiObject, list};

use crate::api_server::target;
use crate::world::ClusterWorld;

impl PushSecretWorld for ClusterWorld<'_> {
    async fn patch_push(
        &self,
        object: &PushSecret,
        patch: &serde_json::Value,
    ) -> std::result::Result<PushSecret, ApiError> {
        let target = target::<PushSecret>(&object.metadata);
        let writer = &self.context.api.writer;
        let patched = writer.merge(&target, patch, Some(FIELD_MANAGER)).await;
        let patched: PushSecret = patched?;
        // The finalizer we asked for must not look like a change by someone else.
        let wakes = self.context.index.push_secret_patched(patched.clone());
        self.context.carry_out(wakes);
        Ok(patched)
    }

    async fn write_push_status(
        &self,
        object: &PushSecret,
        status: &PushSecretStatus,
    ) -> std::result::Result<PushSecret, ApiError> {
        let target = target::<PushSecret>(&object.metadata);
        let uid = object.metadata.uid.as_deref().unwrap_or_default();
        let patch = status_patch(object.status.as_ref(), status);
        let writer = &self.context.api.writer;
        let manager = Some(FIELD_MANAGER);
        let written = writer.patch_status(&target, uid, &patch, manager).await;
        let written: PushSecret = written?;
        let kept = written.status.as_ref();
        let kept = kept.and_then(|status| status.observed_generation);
        self.context
            .settings
            .note_generation(status.observed_generation, kept);
        let wakes = self.context.index.push_secret_answered(written.clone());
        self.context.carry_out(wakes);
        Ok(written)
    }

    async fn source_secret(&self, namespace: &str, name: &str) -> Result<Option<Source>> {
        let target = ApiObject::of::<Secret>(Some(namespace), name);
        let secret: Option<Secret> = target.get(&self.context.api.client).await?;
        if let Some(secret) = &secret {
            self.context.index.source_read(&secret.metadata);
        }
        Ok(secret.map(of_secret))
    }

    async fn source_secrets(
        &self,
        namespace: &str,
        selector: &LabelSelector,
    ) -> Result<BTreeMap<String, Source>> {
        let selector = selector::compile(selector).map_err(|error| {
            Error::invalid_spec(format!(
                "spec.selector.secret.selector cannot be read: {error}"
            ))
        })?;
        let secrets: Vec<Secret> = list(&self.context.api.client, namespace, &selector).await?;
        let named = secrets.into_iter().map(|secret| {
            let name = secret.metadata.name.clone().unwrap_or_default();
            (name, of_secret(secret))
        });
        Ok(named.collect())
    }
}

fn of_secret(secret: Secret) -> Source {
    let data = secret.data.unwrap_or_default().into_iter();
    Source {
        secret_type: secret.type_,
        labels: secret.metadata.labels.unwrap_or_default(),
        annotations: secret.metadata.annotations.unwrap_or_default(),
        data: data
            .map(|(key, value)| (key, SecretValue::new(value.0)))
            .collect(),
    }
}
