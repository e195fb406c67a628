//! What reconciles of PushSecrets read of a scene, and what they would write to the object itself. What they
//! would write to stores is noted by the client of the stores.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use lockstep_api::PushSecret;
use lockstep_api::push_secret::PushSecretStatus;
use lockstep_index::ObjectKey;
use lockstep_plan::push_secret::Source;
use lockstep_plan::selector;
use lockstep_provider_api::{Error, Result};
use lockstep_reconcile::push_secret::PushSecretWorld;

use super::{Answer, ReadOnly, data_of};
use crate::intent::Intent;

impl PushSecretWorld for ReadOnly<'_> {
    async fn patch_push(
        &self,
        object: &PushSecret,
        patch: &serde_json::Value,
    ) -> Answer<PushSecret> {
        let mut object = object.clone();
        self.finalize(&mut object.metadata, patch)?;
        Ok(object)
    }

    async fn write_push_status(
        &self,
        object: &PushSecret,
        status: &PushSecretStatus,
    ) -> Answer<PushSecret> {
        self.note(Intent::Status);
        let mut object = object.clone();
        object.status = Some(status.clone());
        Ok(object)
    }

    async fn source_secret(&self, namespace: &str, name: &str) -> Result<Option<Source>> {
        let secret = self.scene.secret(&ObjectKey::new(namespace, name)).await?;
        Ok(secret.map(source_of))
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
        let secrets = self.scene.secrets(namespace, &selector).await?;
        let named = secrets.into_iter().map(|secret| {
            let name = secret.metadata.name.clone().unwrap_or_default();
            (name, source_of(secret))
        });
        Ok(named.collect())
    }
}

fn source_of(secret: Secret) -> Source {
    Source {
        secret_type: secret.type_,
        labels: secret.metadata.labels.unwrap_or_default(),
        annotations: secret.metadata.annotations.unwrap_or_default(),
        data: data_of(secret.data),
    }
}
