//! The world over the state in memory: the writes of a reconcile with the rules an API server has for them,
//! so that it ends here as it would end in a cluster.

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::external_secret::{GeneratorKind, GeneratorRef};
use lockstep_api::{ExternalSecret, ExternalSecretStatus};
use lockstep_plan::external_secret::{Report, SourceKey, SourceKind, SyncOutcome, TargetDelete};
use lockstep_provider_api::{Error, SecretMap, SecretValue};
use lockstep_reconcile::external_secret::{ExternalSecretWorld, outcome_after};
use lockstep_reconcile::{Generator, World};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::folder::Folder;
use super::managed;
use super::name::{Name, is_data_key, is_object_name};

/// Most bytes the values of one Secret may have.
const MAX_BYTES: usize = 1024 * 1024;

impl World for Folder {
    async fn template_source(
        &self,
        namespace: &str,
        source: &SourceKey,
    ) -> Result<SecretMap, String> {
        let name = Name::new(namespace, &*source.name);
        let state = self.state();
        let (data, kind) = match source.kind {
            SourceKind::ConfigMap => (state.config_maps.get(&name).cloned(), "configmaps"),
            SourceKind::Secret => (state.secrets.get(&name).map(data_of), "secrets"),
        };
        data.ok_or_else(|| format!("{kind} {:?} not found", source.name))
    }

    async fn generator(
        &self,
        namespace: &str,
        reference: &GeneratorRef,
    ) -> Result<Generator, Error> {
        let spec = self.state().generator(namespace, reference).cloned();
        let (kind, name) = (reference.kind.as_str(), &reference.name);
        let spec = spec.ok_or_else(|| {
            let text = format!("{kind} {name:?} not found; add its manifest to the folder");
            Error::invalid_spec(text)
        })?;
        if reference.kind == GeneratorKind::ClusterGenerator {
            let (kind, spec) = lockstep_generators::unwrap(&spec)?;
            return Ok(Generator {
                kind,
                metadata: serde_json::json!({}),
                spec,
            });
        }
        Ok(Generator {
            kind: kind.to_owned(),
            metadata: serde_json::json!({ "name": name, "namespace": namespace }),
            spec,
        })
    }
}

impl ExternalSecretWorld for Folder {
    async fn patch(
        &self,
        object: &ExternalSecret,
        patch: &serde_json::Value,
    ) -> Result<ExternalSecret, ApiError> {
        let mut state = self.state();
        let tracked = state.external_secrets.get_mut(&name_of(object));
        let tracked = tracked.ok_or_else(not_found)?;
        let finalizers = patch
            .pointer("/metadata/finalizers")
            .cloned()
            .unwrap_or_default();
        tracked.object.metadata.finalizers =
            serde_json::from_value(finalizers).map_err(|error| invalid(error.to_string()))?;
        Ok(tracked.object.clone())
    }

    async fn read_secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, ApiError> {
        Ok(self
            .state()
            .secrets
            .get(&Name::new(namespace, name))
            .cloned())
    }

    async fn create_secret(&self, secret: Secret, manager: &str) -> Result<(), ApiError> {
        let mut secret = secret;
        refuse_invalid(&secret)?;
        let name = secret_name(&secret);
        let mut state = self.state();
        if state.secrets.contains_key(&name) {
            return Err(ApiError::new(
                ApiErrorKind::AlreadyExists,
                "the object already exists",
            ));
        }
        let version = state.next_version();
        secret.metadata.uid = Some(format!("local-{version}-{}", name.name));
        secret.metadata.resource_version = Some(version);
        secret.type_.get_or_insert_with(|| "Opaque".to_owned());
        managed::note(&mut secret, None, manager);
        state.secrets.insert(name, secret);
        Ok(())
    }

    async fn replace_secret(&self, secret: Secret, manager: &str) -> Result<(), ApiError> {
        let mut secret = secret;
        refuse_invalid(&secret)?;
        let name = secret_name(&secret);
        let mut state = self.state();
        let live = state.secrets.get(&name).ok_or_else(not_found)?.clone();
        if live.metadata.resource_version != secret.metadata.resource_version {
            return Err(modified());
        }
        secret.metadata.resource_version = Some(state.next_version());
        managed::note(&mut secret, Some(&live), manager);
        state.secrets.insert(name, secret);
        Ok(())
    }

    async fn delete_secret(&self, namespace: &str, delete: &TargetDelete) -> Result<(), ApiError> {
        let name = Name::new(namespace, &*delete.name);
        let mut state = self.state();
        let live = &state.secrets.get(&name).ok_or_else(not_found)?.metadata;
        let is_seen = live.uid.as_deref() == Some(&delete.uid)
            && live.resource_version.as_deref() == Some(&delete.resource_version);
        if !is_seen {
            return Err(modified());
        }
        state.secrets.remove(&name);
        Ok(())
    }
}

impl Folder {
    /// Keeps the status that a reconcile reports, and returns how it ended. Prints no events: the condition
    /// and the Secret they are about are printed.
    pub(crate) fn conclude(&self, name: &Name, report: Report) -> SyncOutcome {
        for event in &report.events {
            tracing::debug!(object = %name, reason = event.reason, "event");
        }
        let written = match report.status {
            Some(status) => self.write_status(name, status),
            None => Ok(()),
        };
        outcome_after(written, report.outcome)
    }

    fn write_status(&self, name: &Name, status: ExternalSecretStatus) -> Result<(), ApiError> {
        let mut state = self.state();
        let tracked = state.external_secrets.get_mut(name);
        let tracked = tracked.ok_or_else(not_found)?;
        if status.refresh_time.is_some() {
            tracked.last_sync.clone_from(&status.refresh_time);
        }
        tracked.object.status = Some(status);
        Ok(())
    }
}

fn not_found() -> ApiError {
    ApiError::new(ApiErrorKind::NotFound, "the object was not found")
}

fn modified() -> ApiError {
    ApiError::new(ApiErrorKind::Conflict, "the object has been modified")
}

fn invalid(text: String) -> ApiError {
    ApiError::new(ApiErrorKind::Invalid, text)
}

/// The values of a Secret.
pub(crate) fn data_of(secret: &Secret) -> SecretMap {
    let data = secret.data.iter().flatten();
    data.map(|(key, value)| (key.clone(), SecretValue::from(value.0.as_slice())))
        .collect()
}

fn name_of(object: &ExternalSecret) -> Name {
    let metadata = &object.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Name::new(text(&metadata.namespace), text(&metadata.name))
}

fn secret_name(secret: &Secret) -> Name {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Name::new(
        text(&secret.metadata.namespace),
        text(&secret.metadata.name),
    )
}

/// Refuses what an API server would refuse.
fn refuse_invalid(secret: &Secret) -> Result<(), ApiError> {
    let name = secret.metadata.name.as_deref().unwrap_or_default();
    if !is_object_name(name) {
        let text = format!("Secret {name:?} is invalid: metadata.name: not a valid object name");
        return Err(invalid(text));
    }
    let data = || secret.data.iter().flatten();
    if let Some((key, _)) = data().find(|(key, _)| !is_data_key(key)) {
        let text = format!(
            "Secret {name:?} is invalid: data[{key}]: a valid config key must consist of \
             alphanumeric characters, '-', '_' or '.'"
        );
        return Err(invalid(text));
    }
    let bytes: usize = data().map(|(_, value)| value.0.len()).sum();
    if bytes > MAX_BYTES {
        let text = format!("Secret {name:?} is invalid: data: must have at most {MAX_BYTES} bytes");
        return Err(invalid(text));
    }
    Ok(())
}
