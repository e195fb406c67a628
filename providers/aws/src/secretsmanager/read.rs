//! Reading one secret: its value, a property of it, its members, or its tags.

use aws_sdk_secretsmanager::operation::describe_secret::DescribeSecretOutput;
use lockstep_provider_api::error::Tombstone;
use lockstep_provider_api::json::{Html, to_json_strings};
use lockstep_provider_api::prelude::*;

use super::SecretsManager;
use super::push::tags_of;
use crate::error::Failure;
use crate::read::{absent, members, wanted};

/// A value as the service keeps it: text or bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    pub(super) text: Option<SecretValue>,
    pub(super) binary: Option<SecretValue>,
}

impl Stored {
    /// The value that a reference means. The service keeps either a text or bytes, never both.
    pub(super) fn wanted(self, reference: &RemoteRef) -> Result<SecretValue> {
        let whole = self.text.or(self.binary).ok_or_else(|| {
            let key = &reference.key;
            Error::invalid_data(format!(
                "invalid secret received. no secret string nor binary for key: {key}"
            ))
        })?;
        wanted(&whole, reference)
    }
}

impl SecretsManager {
    pub(crate) async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if reference.metadata == MetadataPolicy::Fetch {
            return self.metadata(reference).await;
        }
        let id = self.id(&reference.key)?;
        let stored = self.read(&id, reference.version.as_deref()).await?;
        stored.wanted(reference)
    }

    pub(crate) async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, &reference.key)
    }

    /// The tags of a secret as a JSON object.
    async fn metadata(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let id = self.id(&reference.key)?;
        let described = self.describe(&id).await.map_err(absent)?;
        let tags = to_json_strings(&tags_of(&described), Html::Escaped);
        let tags = SecretValue::from(tags);
        wanted(&tags, reference)
    }

    /// Reads the value of a version; no version means the current one.
    pub(super) async fn read(&self, id: &str, version: Option<&str>) -> Result<Stored> {
        match self.read_raw(id, version).await {
            Ok(stored) => Ok(stored),
            Err(failure) if matches!(failure.error.kind(), ErrorKind::Tombstoned(_)) => {
                Err(self.tombstone(id, failure).await)
            }
            Err(failure) => Err(absent(failure)),
        }
    }

    pub(super) async fn read_raw(
        &self,
        id: &str,
        version: Option<&str>,
    ) -> Result<Stored, Failure> {
        let version = version.unwrap_or_default();
        let (version_id, stage) = match version.strip_prefix("uuid/") {
            Some(id) => (Some(id.to_owned()), None),
            None if version.is_empty() => (None, Some("AWSCURRENT".to_owned())),
            None => (None, Some(version.to_owned())),
        };
        let send = || {
            let request = self.client.get_secret_value().secret_id(id);
            let request = request.set_version_id(version_id.clone());
            request.set_version_stage(stage.clone()).send()
        };
        let answer = self.caller.call("GetSecretValue", id, send).await?;
        Ok(Stored {
            text: answer.secret_string.map(SecretValue::from),
            binary: answer
                .secret_binary
                .map(|blob| SecretValue::new(blob.into_inner())),
        })
    }

    pub(super) async fn describe(&self, id: &str) -> Result<DescribeSecretOutput, Failure> {
        let send = || self.client.describe_secret().secret_id(id).send();
        self.caller.call("DescribeSecret", id, send).await
    }

    /// The same failure with the date the secret goes for good, where that may be asked for.
    pub(super) async fn tombstone(&self, id: &str, failure: Failure) -> Error {
        let described = self.describe(id).await.ok();
        let until = described.and_then(|secret| {
            let seconds = secret.deleted_date()?.secs();
            jiff::Timestamp::from_second(seconds).ok()
        });
        let state = match until {
            Some(date) => format!("scheduled for deletion on {}", date.strftime("%Y-%m-%d")),
            None => "scheduled for deletion".to_owned(),
        };
        let tombstone = Tombstone {
            state: "scheduled for deletion".into(),
            until,
            counts_as_absent: false,
        };
        let region = &self.caller.region;
        let text = format!(
            "{}; the secret is {state}; restore it with: \
             aws secretsmanager restore-secret --region {region} --secret-id {id}",
            failure.error
        );
        Error::new(ErrorKind::Tombstoned(tombstone), text).advised()
    }
}
