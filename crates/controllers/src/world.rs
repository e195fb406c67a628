//! The world of an API server. Every answer to a write goes straight into the index, so the next
//! run does not wait for the watch and the watch's echo starts no run.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::Selector;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::keys::{FIELD_MANAGER, LABEL_GENERATOR_OWNER_KEY};
use lockstep_api::{ExternalSecret, ExternalSecretStatus, GeneratorState};
use lockstep_index::ObjectKey;
use lockstep_plan::external_secret::{SourceKey, SourceKind, TargetDelete, period};
use lockstep_plan::generator_state::deadline_patch;
use lockstep_plan::manifest_target::{Object, ObjectRef};
use lockstep_plan::{EventNote, StoreKey};
use lockstep_provider_api::{Error, SecretMap, SecretValue};
use lockstep_reconcile::{Deletion, Generator, World, WorldError};
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::api_object::{ApiObject, Written, list};

use crate::api::{target, world_error};
use crate::deletion;
use crate::events::about_external_secret;
use crate::manifest_targets;
use crate::shared::Shared;

/// Reads and writes of ExternalSecrets and their targets.
pub(crate) struct ClusterWorld<'a> {
    pub(crate) shared: &'a Shared,
}

impl ClusterWorld<'_> {
    /// Takes the answer to our own write; a change by someone else that it shows is worth a run.
    fn saw(&self, object: ExternalSecret) {
        let wakes = self
            .shared
            .index
            .external_secret_answered(object, self.shared.now());
        self.shared.carry_out(wakes);
    }

    fn saw_secret(&self, secret: Secret) {
        let wakes = self.shared.index.target_answered(secret, self.shared.now());
        self.shared.carry_out(wakes);
    }

    /// Notes that a write to a Secret is on its way.
    fn writes(&self, secret: &Secret) -> OnItsWay<'_> {
        let key = ObjectKey::of(&secret.metadata);
        self.shared.index.targets().begin_write(key.clone());
        OnItsWay {
            shared: self.shared,
            key,
        }
    }
}

/// A write to a Secret. Without an answer it counts as failed.
struct OnItsWay<'a> {
    shared: &'a Shared,
    key: ObjectKey,
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        let shared = self.shared;
        shared.carry_out(shared.index.target_write_ended(&self.key, shared.now()));
    }
}

impl World for ClusterWorld<'_> {
    async fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> Result<ExternalSecret, WorldError> {
        let target = target::<ExternalSecret>(&object.metadata);
        let patched = self
            .shared
            .writer
            .merge(&target, patch, Some(FIELD_MANAGER))
            .await;
        let patched: ExternalSecret = patched.map_err(world_error)?;
        // The finalizer we asked for must not look like a change by someone else.
        let now = self.shared.now();
        let mut rows = self.shared.index.external_secrets();
        rows.answered(patched.clone(), now);
        drop(rows);
        Ok(patched)
    }

    async fn write_status(
        &self,
        object: &ExternalSecret,
        status: &ExternalSecretStatus,
    ) -> Result<(), WorldError> {
        let target = target::<ExternalSecret>(&object.metadata);
        let uid = object.metadata.uid.as_deref().unwrap_or_default();
        let manager = Some(FIELD_MANAGER);
        let written = self
            .shared
            .writer
            .patch_status(&target, uid, status, manager)
            .await;
        let written: ExternalSecret = written.map_err(world_error)?;
        let kept = written.status.as_ref();
        let kept = kept.and_then(|status| status.observed_generation);
        self.shared
            .note_generation(status.observed_generation, kept);
        self.saw(written);
        Ok(())
    }

    async fn read_secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, WorldError> {
        let target = ApiObject::of::<Secret>(Some(namespace), name);
        target.get(&self.shared.client).await.map_err(world_error)
    }

    async fn create_secret(&self, secret: Secret, manager: &str) -> Result<(), WorldError> {
        let target = target::<Secret>(&secret.metadata);
        let _write = self.writes(&secret);
        let created = self
            .shared
            .writer
            .create(&target, &secret, Some(manager))
            .await;
        self.saw_secret(created.map_err(world_error)?);
        Ok(())
    }

    async fn replace_secret(&self, secret: Secret, manager: &str) -> Result<(), WorldError> {
        let target = target::<Secret>(&secret.metadata);
        let _write = self.writes(&secret);
        let replaced = self
            .shared
            .writer
            .replace(&target, &secret, Some(manager))
            .await;
        self.saw_secret(replaced.map_err(world_error)?);
        Ok(())
    }

    async fn delete_secret(
        &self,
        namespace: &str,
        delete: &TargetDelete,
    ) -> Result<(), WorldError> {
        let target = ApiObject::of::<Secret>(Some(namespace), &delete.name);
        let version = Some(delete.resource_version.as_str());
        let deleted = self
            .shared
            .writer
            .delete(&target, &delete.uid, version)
            .await;
        deleted.map_err(world_error)?;
        self.shared
            .index
            .targets()
            .remove(&ObjectKey::new(namespace, &delete.name));
        Ok(())
    }

    async fn read_object(&self, target: &ObjectRef) -> Result<Option<Object>, WorldError> {
        manifest_targets::read(self.shared, target).await
    }

    async fn create_object(&self, target: &ObjectRef, object: Object) -> Result<(), WorldError> {
        manifest_targets::create(self.shared, target, &object).await
    }

    async fn replace_object(&self, target: &ObjectRef, object: Object) -> Result<bool, WorldError> {
        manifest_targets::replace(self.shared, target, &object).await
    }

    async fn delete_object(
        &self,
        target: &ObjectRef,
        delete: &TargetDelete,
    ) -> Result<(), WorldError> {
        manifest_targets::delete(self.shared, target, delete).await
    }

    async fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> Result<SecretMap, String> {
        let client = &self.shared.client;
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
        crate::generator::read(&self.shared.client, namespace, reference).await
    }

    async fn create_state(&self, state: &GeneratorState) -> Result<String, WorldError> {
        let target = target::<GeneratorState>(&state.metadata);
        let writer = &self.shared.writer;
        let made = writer.create(&target, state, Some(FIELD_MANAGER)).await;
        let made: GeneratorState = made.map_err(world_error)?;
        Ok(made.metadata.name.unwrap_or_default())
    }

    async fn states(
        &self,
        namespace: &str,
        owner_key: &str,
    ) -> Result<Vec<GeneratorState>, WorldError> {
        let label = (LABEL_GENERATOR_OWNER_KEY.to_owned(), owner_key.to_owned());
        let selector = Selector::from_iter(BTreeMap::from([label]));
        let listed = list(&self.shared.client, namespace, &selector).await;
        listed.map_err(world_error)
    }

    async fn flag_state(
        &self,
        namespace: &str,
        name: &str,
        deadline: Timestamp,
    ) -> Result<(), WorldError> {
        let target = ApiObject::of::<GeneratorState>(Some(namespace), name);
        let patch = deadline_patch(deadline);
        let writer = &self.shared.writer;
        let flagged = writer.merge(&target, &patch, Some(FIELD_MANAGER)).await;
        match flagged.map(|_: Written| ()).map_err(world_error) {
            Err(WorldError::NotFound) => Ok(()),
            flagged => flagged,
        }
    }

    fn absent(&self, object: &ExternalSecret, stores: &BTreeSet<StoreKey>) -> Deletion {
        let interval = period(object).unwrap_or_default();
        let key = ObjectKey::of(&object.metadata);
        deletion::ask(self.shared, (&key, interval), stores)
    }

    fn present(&self, object: &ExternalSecret) {
        self.shared.is_present(&ObjectKey::of(&object.metadata));
    }

    fn fetching(&self, object: &ExternalSecret) {
        self.shared.sharing.leave(&ObjectKey::of(&object.metadata));
    }

    fn publish(&self, object: &ExternalSecret, event: EventNote) {
        about_external_secret(&self.shared.recorders, object, &event);
    }
}

fn text(failure: ApiError) -> String {
    failure.to_string()
}
