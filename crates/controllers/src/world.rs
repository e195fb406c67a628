//! The world of an API server. Each kind's folder has what its reconciles read and write there. Every answer
//! to a write goes straight into the index, so the next reconcile does not wait for the watch and the
//! watch's echo requeues nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::Selector;
use lockstep_api::GeneratorState;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::keys::{FIELD_MANAGER, LABEL_GENERATOR_OWNER_KEY};
use lockstep_plan::external_secret::{SourceKey, SourceKind};
use lockstep_plan::generator_state::deadline_patch;
use lockstep_provider_api::{Error, SecretMap, SecretValue};
use lockstep_reconcile::{Generator, World};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};
use lockstep_runtime::api_object::{ApiObject, Written, list};

use crate::api_server::target;
use crate::context::Context;

/// Reads and writes of all kinds.
pub(crate) struct ClusterWorld<'a> {
    pub(crate) context: &'a Arc<Context>,
}

impl World for ClusterWorld<'_> {
    async fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> Result<SecretMap, String> {
        let client = &self.context.api.client;
        match source.kind {
            SourceKind::Secret => {
                let target = ApiObject::of::<Secret>(Some(namespace), &source.name);
                let secret: Secret = target.require(client).await.map_err(text)?;
                let data = secret.data.unwrap_or_default().into_iter();
                Ok(data
                    .map(|(key, value)| (key, SecretValue::new(value.0)))
                    .collect())
            }
            SourceKind::ConfigMap => {
                let target = ApiObject::of::<ConfigMap>(Some(namespace), &source.name);
                let map: ConfigMap = target.require(client).await.map_err(text)?;
                let data = map.data.unwrap_or_default().into_iter();
                Ok(data.map(|(key, value)| (key, value.into())).collect())
            }
        }
    }

    async fn generator(
        &self,
        namespace: &str,
        reference: &GeneratorRef,
    ) -> Result<Generator, Error> {
        self.context.api.generator(namespace, reference).await
    }

    async fn create_state(&self, state: &GeneratorState) -> Result<String, ApiError> {
        let target = target::<GeneratorState>(&state.metadata);
        let writer = &self.context.api.writer;
        let made = writer.create(&target, state, Some(FIELD_MANAGER)).await;
        let made: GeneratorState = made?;
        Ok(made.metadata.name.unwrap_or_default())
    }

    async fn states(
        &self,
        namespace: &str,
        owner_key: &str,
    ) -> Result<Vec<GeneratorState>, ApiError> {
        let label = (LABEL_GENERATOR_OWNER_KEY.to_owned(), owner_key.to_owned());
        let selector = Selector::from_iter(BTreeMap::from([label]));
        list(&self.context.api.client, namespace, &selector).await
    }

    async fn flag_state(
        &self,
        namespace: &str,
        name: &str,
        deadline: Timestamp,
    ) -> Result<(), ApiError> {
        let target = ApiObject::of::<GeneratorState>(Some(namespace), name);
        let patch = deadline_patch(deadline);
        let writer = &self.context.api.writer;
        let flagged = writer.merge(&target, &patch, Some(FIELD_MANAGER)).await;
        match flagged.map(|_: Written| ()) {
            Err(error) if error.is(ApiErrorKind::NotFound) => Ok(()),
            flagged => flagged,
        }
    }
}

fn text(failure: ApiError) -> String {
    failure.to_string()
}
