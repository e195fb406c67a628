//! Writing a secret: made when it is not there, otherwise changed only where it differs. What is not
//! ours is refused, unless only a property of it is pushed. Nothing is enabled or restored.

use lockstep_provider_api::lifecycle::{OtherTags, differing};
use lockstep_provider_api::locks::Locks;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use crate::MAX_PAYLOAD;
use crate::api::Secret;
use crate::managed;
use crate::read::is_json;
use crate::state::LATEST;
use crate::store::Connection;

mod metadata;

use metadata::PushMetadata;

impl Connection {
    /// Writes a secret; says what becomes of labels and annotations that the push does not name.
    pub(crate) async fn write(&self, item: &PushItem, others: OtherTags) -> Result<Pushed> {
        let value = item.value_or_empty();
        let property = item.target.wanted_property();
        if property.is_some() && item.metadata.is_some() {
            return Err(Error::invalid_spec(
                "cannot specify metadata and property at the same time",
            ));
        }
        let metadata = PushMetadata::parse(item)?;
        check_size(&value)?;
        let key = &item.target.remote_key;
        let name = self.api.secret_name(key)?;
        // Two pushes of properties would otherwise lose one of them.
        let lock = self.api.ctx().shared::<Locks>().of(&name);
        let _held = lock.lock().await;
        let (secret, is_new) = self.present(key, &metadata).await?;
        if property.is_none() {
            managed::require(&secret.labels, key)?;
        }
        let mut changed = self
            .sync_words(key, &secret, property, (&metadata, others))
            .await?;
        changed |= self.sync_value(key, property, value, is_new).await?;
        Ok(match (is_new, changed) {
            (true, _) => Pushed::Created,
            (false, true) => Pushed::Updated,
            (false, false) => Pushed::Unchanged,
        })
    }

    /// The secret, made where it is missing.
    async fn present(&self, key: &str, metadata: &PushMetadata) -> Result<(Secret, bool)> {
        match self.api.secret(key).await {
            Ok(secret) => return Ok((secret, false)),
            Err(failure) if failure.is_missing() => {}
            Err(failure) => return Err(failure.error),
        }
        let wanted = metadata.new_secret(self.api.is_regional());
        match self.api.create(key, &wanted).await {
            Ok(secret) => Ok((secret, true)),
            // Somebody else was faster.
            Err(failure) if failure.exists_already() => Ok((self.api.secret(key).await?, false)),
            Err(failure) => Err(failure.error),
        }
    }

    /// Writes labels and annotations where they differ.
    async fn sync_words(
        &self,
        key: &str,
        secret: &Secret,
        property: Option<&str>,
        (metadata, others): (&PushMetadata, OtherTags),
    ) -> Result<bool> {
        let (labels, annotations) = match property {
            None => metadata.words(&secret.labels, &secret.annotations, others),
            Some(_) => (
                managed::marked(secret.labels.clone()),
                secret.annotations.clone(),
            ),
        };
        if labels == secret.labels && annotations == secret.annotations {
            return Ok(false);
        }
        let etag = secret.etag.as_deref();
        self.api.update(key, etag, &labels, &annotations).await?;
        Ok(true)
    }

    /// Names of the labels and annotations that a push names and the secret has otherwise.
    pub(crate) async fn differing_words(&self, item: &PushItem) -> Result<Vec<String>> {
        let metadata = PushMetadata::parse(item)?;
        if metadata.names_nothing() {
            return Ok(Vec::new());
        }
        let secret = self.api.secret(&item.target.remote_key).await?;
        let (labels, annotations) = metadata.named(&secret.labels);
        let mut names = differing(&secret.labels, &labels);
        names.extend(differing(&secret.annotations, &annotations));
        Ok(names)
    }

    /// Sets the labels and annotations that a push names, and leaves the others.
    pub(crate) async fn set_words(&self, item: &PushItem) -> Result<()> {
        let metadata = PushMetadata::parse(item)?;
        let key = &item.target.remote_key;
        let secret = self.api.secret(key).await?;
        managed::require(&secret.labels, key)?;
        self.sync_words(key, &secret, None, (&metadata, OtherTags::Keep))
            .await?;
        Ok(())
    }

    /// Adds a version where the newest one holds something else.
    async fn sync_value(
        &self,
        key: &str,
        property: Option<&str>,
        value: SecretValue,
        is_new: bool,
    ) -> Result<bool> {
        let current = if is_new {
            None
        } else {
            self.current(key).await?
        };
        let value = match property {
            None => value,
            Some(property) => {
                let current = current.clone().unwrap_or_default();
                if is_at(&current, property, &value) {
                    return Ok(false);
                }
                merged(&current, property, &value, key)?
            }
        };
        if current.as_ref() == Some(&value) {
            return Ok(false);
        }
        check_size(&value)?;
        self.api.add_version(key, &value).await?;
        Ok(true)
    }

    /// The payload of the newest version; `None` where there is no version.
    pub(crate) async fn current(&self, key: &str) -> Result<Option<SecretValue>> {
        match self.api.access(key, LATEST).await {
            Ok(value) => Ok(Some(value)),
            Err(failure) if failure.is_missing() => Ok(None),
            Err(failure) if failure.dead_version().is_some() => {
                let text = format!(
                    "{} (the newest version cannot be compared with; enable or replace it)",
                    failure.error
                );
                Err(Error::new(failure.error.kind().clone(), text).advised())
            }
            Err(failure) => Err(failure.error),
        }
    }
}

/// Whether a property already holds a value.
fn is_at(json: &SecretValue, property: &str, value: &SecretValue) -> bool {
    let found = property::extract(json, property, Dots::EscapedThenRaw);
    is_json(json) && found.is_ok_and(|found| found == *value)
}

/// The present JSON with a property changed. What is no JSON stays as it is.
fn merged(
    current: &SecretValue,
    property: &str,
    value: &SecretValue,
    key: &str,
) -> Result<SecretValue> {
    if !current.is_empty() && !is_json(current) {
        return Err(Error::invalid_spec(format!(
            "property {property:?} cannot be pushed: the newest version of secret {key} is not \
             JSON; push the whole value, or store JSON there first"
        )));
    }
    property::set(current, property, value)
}

pub(crate) fn check_size(value: &SecretValue) -> Result<()> {
    if value.is_empty() {
        return Err(Error::invalid_spec(
            "the value is empty; Secret Manager keeps no empty payloads",
        ));
    }
    if value.len() > MAX_PAYLOAD {
        return Err(Error::invalid_spec(format!(
            "the value has {} bytes; Secret Manager takes at most {MAX_PAYLOAD}",
            value.len()
        )));
    }
    Ok(())
}
