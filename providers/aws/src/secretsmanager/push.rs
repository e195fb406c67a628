//! Writing a secret: made when it is not there, otherwise changed only where it differs. What is
//! not ours is refused; what is scheduled for deletion is neither restored nor replaced.

use aws_sdk_secretsmanager::operation::describe_secret::DescribeSecretOutput;
use aws_sdk_secretsmanager::types::{ReplicaRegionType, Tag};
use aws_smithy_types::Blob;
use lockstep_provider_api::lifecycle::OtherTags;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property;

use super::metadata::{Format, PushMetadata};
use super::read::Stored;
use super::{CAPABILITIES, SecretsManager};
use crate::managed::{self, Tags};

/// Token of the first version, so that two operators cannot make two.
const FIRST: &str = "00000000-0000-0000-0000-000000000001";
const KMS_KEY: &str = "alias/aws/secretsmanager";

impl SecretsManager {
    pub(crate) async fn push(&self, item: &PushItem) -> Result<Pushed> {
        self.push_beside(item, OtherTags::Remove).await
    }

    /// Writes a secret; says what becomes of tags that the push does not name.
    pub(super) async fn push_beside(&self, item: &PushItem, others: OtherTags) -> Result<Pushed> {
        let value = item.value()?;
        let parsed = PushMetadata::parse(item).and_then(|metadata| {
            let tags = managed::wanted(&metadata.tags)?;
            Ok((metadata, tags))
        });
        let (metadata, tags) =
            parsed.map_err(|error| error.context("failed to parse push secret metadata"))?;
        let id = self.id(&item.target.remote_key)?;
        let described = match self.describe(&id).await {
            Ok(described) => described,
            Err(failure) if failure.is("ResourceNotFoundException") => {
                let value = merged(None, item, value)?;
                let secret = New { id, metadata, tags };
                self.create(&secret, &value).await?;
                if let Some(policy) = &secret.metadata.resource_policy {
                    let text = policy.text(item, &self.caller.ctx).await?;
                    self.put_policy(&secret.id, text, policy.block_public_policy)
                        .await?;
                }
                return Ok(Pushed::Created);
            }
            Err(failure) => return Err(failure.into()),
        };
        managed::require(&tags_of(&described), "secret")?;
        if described.deleted_date().is_some() {
            return Err(self.is_scheduled(&id, &described));
        }
        let mut changed = self
            .sync_tags(&id, &described, (&metadata, others), &tags)
            .await?;
        if let Some(policy) = &metadata.resource_policy {
            let text = policy.text(item, &self.caller.ctx).await?;
            changed |= self
                .sync_policy(&id, text, policy.block_public_policy)
                .await?;
        }
        changed |= self.sync_replicas(&id, &described, &metadata).await?;
        changed |= self
            .sync_value(&id, item, value, metadata.format()?)
            .await?;
        Ok(if changed {
            Pushed::Updated
        } else {
            Pushed::Unchanged
        })
    }

    async fn create(&self, secret: &New, value: &SecretValue) -> Result<()> {
        let (text, binary) = encoded(value, secret.metadata.format()?)?;
        let metadata = &secret.metadata;
        let or = |given: &str, usual: &str| {
            let text = if given.is_empty() { usual } else { given };
            text.to_owned()
        };
        let kms_key = or(&metadata.kms_key_id, KMS_KEY);
        let description = or(&metadata.description, managed::DESCRIPTION);
        let replicas = metadata.replication_locations.iter().map(|region| {
            let replica = ReplicaRegionType::builder().region(region);
            replica.kms_key_id(&kms_key).build()
        });
        let replicas: Vec<_> = replicas.collect();
        let send = || {
            self.client
                .create_secret()
                .name(&secret.id)
                .client_request_token(FIRST)
                .description(&description)
                .kms_key_id(&kms_key)
                .set_secret_string(text.clone())
                .set_secret_binary(binary.clone())
                .set_tags(Some(sdk_tags(&secret.tags)))
                .set_add_replica_regions((!replicas.is_empty()).then(|| replicas.clone()))
                .send()
        };
        self.caller.call("CreateSecret", &secret.id, send).await?;
        Ok(())
    }

    /// Writes the value where it differs from the current one.
    async fn sync_value(
        &self,
        id: &str,
        item: &PushItem,
        value: SecretValue,
        format: Format,
    ) -> Result<bool> {
        let current = match self.read_raw(id, None).await {
            Ok(stored) => Some(stored),
            Err(failure) if failure.is("ResourceNotFoundException") => None,
            Err(failure) => return Err(failure.into()),
        };
        let is_first = current.is_none();
        let value = merged(current.as_ref(), item, value)?;
        if current.is_some_and(|current| current.holds(&value)) {
            return Ok(false);
        }
        self.put_value(id, &value, format, is_first).await?;
        Ok(true)
    }

    pub(super) async fn put_value(
        &self,
        id: &str,
        value: &SecretValue,
        format: Format,
        is_first: bool,
    ) -> Result<()> {
        let (text, binary) = encoded(value, format)?;
        let token = if is_first { FIRST.to_owned() } else { token() };
        let send = || {
            self.client
                .put_secret_value()
                .secret_id(id)
                .client_request_token(&token)
                .set_secret_string(text.clone())
                .set_secret_binary(binary.clone())
                .send()
        };
        self.caller.call("PutSecretValue", id, send).await?;
        Ok(())
    }
}

/// A secret to be made.
struct New {
    id: String,
    metadata: PushMetadata,
    tags: Tags,
}

impl Stored {
    /// Whether this very value is stored, as bytes or as text.
    fn holds(&self, value: &SecretValue) -> bool {
        [&self.binary, &self.text]
            .into_iter()
            .flatten()
            .any(|stored| stored == value)
    }
}

/// What is stored in the end: the value itself, or the present JSON with the property changed.
fn merged(current: Option<&Stored>, item: &PushItem, value: SecretValue) -> Result<SecretValue> {
    let Some(property) = item.target.wanted_property() else {
        return Ok(value);
    };
    let current = current.and_then(|stored| stored.binary.as_ref().or(stored.text.as_ref()));
    let current = current.cloned().unwrap_or_default();
    if !current.is_empty()
        && serde_json::from_slice::<&serde_json::value::RawValue>(current.expose()).is_err()
    {
        return Err(Error::invalid_spec(
            "PushSecret for aws secrets manager with a pushSecretData property requires a json secret",
        ));
    }
    property::set(&current, property, &value)
}

/// A value as the service takes it.
fn encoded(value: &SecretValue, format: Format) -> Result<(Option<String>, Option<Blob>)> {
    let most = CAPABILITIES.max_value_size.unwrap_or(usize::MAX);
    if value.len() > most {
        return Err(Error::invalid_spec(format!(
            "the value has {} bytes; Secrets Manager takes at most {most}",
            value.len()
        )));
    }
    Ok(match format {
        Format::Binary => (None, Some(Blob::new(value.expose()))),
        Format::Text => (Some(value.expose_utf8()?.to_owned()), None),
    })
}

pub(super) fn tags_of(described: &DescribeSecretOutput) -> Tags {
    let text = |part: Option<&str>| part.unwrap_or_default().to_owned();
    let tags = described.tags().iter();
    tags.map(|tag| (text(tag.key()), text(tag.value())))
        .collect()
}

pub(super) fn sdk_tags(tags: &Tags) -> Vec<Tag> {
    tags.iter()
        .map(|(key, value)| Tag::builder().key(key).value(value).build())
        .collect()
}

/// A token that no other write has.
fn token() -> String {
    let bits = fastrand::u128(..);
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}
