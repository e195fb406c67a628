//! A connection as the rest of the program sees it. Keeper is asked with the first read; a device that
//! was removed shows there, as in the original.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
use lockstep_provider_kit::error::missing;

use crate::api::Api;
use crate::file;
use crate::push;
use crate::record::{Envelope, Secret};
use crate::vault::{Record, Vault};

/// A connection to a Keeper application.
pub struct KeepersecurityStore {
    api: Api,
    folder: String,
    by_title: bool,
}

impl KeepersecurityStore {
    pub(crate) fn new(api: Api, folder: String, by_title: bool) -> Self {
        Self {
            api,
            folder,
            by_title,
        }
    }

    /// The record with a UID or, where the store says so, a title.
    async fn record(&self, key: &str) -> Result<Record> {
        let vault = Vault::read(&self.api, "GetSecrets", Some(key)).await;
        let vault =
            vault.map_err(|error| error.context(format!("unable to find secret {key}. Error")))?;
        if let Some(record) = vault.records.into_iter().next() {
            return Ok(record);
        }
        if self.by_title {
            let all = Vault::read(&self.api, "GetSecretsByTitle", None).await?;
            let mut titled = all.titled(key);
            if let Some(record) = titled.next() {
                if titled.next().is_some() {
                    let text = format!("more than 1 secret {key} found");
                    return Err(Error::new(ErrorKind::Conflict, text));
                }
                return Ok(record);
            }
        }
        Err(missing("no secrets found"))
    }

    async fn envelope(&self, record: &Record) -> Result<SecretValue> {
        let (_, json) = record.opened()?;
        let envelope = Envelope {
            record: json.expose_utf8()?.to_owned(),
            files: file::load(&self.api, record).await?,
        };
        envelope.to_value()
    }
}

fn value(secret: &Secret, reference: &RemoteRef) -> Result<SecretValue> {
    match reference.wanted_property() {
        Some(property) => secret.property(property),
        None => secret.whole(),
    }
}

fn members(secret: &Secret, reference: &RemoteRef) -> Result<SecretMap> {
    match reference.wanted_property() {
        Some(property) => {
            let value = secret.property(property)?;
            Ok(SecretMap::from_iter([(property.to_owned(), value)]))
        }
        None => secret.members(),
    }
}

impl Store for KeepersecurityStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        value(&Secret::new(&self.get_raw(reference).await?)?, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&Secret::new(&self.get_raw(reference).await?)?, reference)
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let record = Box::pin(self.record(&reference.key)).await?;
        self.envelope(&record).await
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let raw = match containing {
            Ok(Payload::Value(raw)) => raw,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(reference) => value(&Secret::new(raw)?, reference).map(Payload::Value),
            Read::Map(reference) => members(&Secret::new(raw)?, reference).map(Payload::Map),
            Read::Raw(_) => Ok(Payload::Value(raw.clone())),
            Read::Find(_) => Err(mismatch()),
        }
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let unsupported = |part: &str| {
            Error::unsupported(format!(
                "'find.{part}' is not implemented in the KeeperSecurity provider"
            ))
        };
        if find.tags.is_some() {
            return Err(unsupported("tags"));
        }
        if find.path.is_some() {
            return Err(unsupported("path"));
        }
        let Some(name) = find.name.as_deref() else {
            return Err(Error::invalid_spec("find.name.regexp is missing"));
        };
        let matcher = NameMatcher::new(name)?;
        let vault = Vault::read(&self.api, "GetSecrets", None).await;
        let vault = vault
            .map_err(|error| error.map_message(|text| format!("unable to find secrets. {text}")))?;
        let mut found = SecretMap::new();
        for record in &vault.records {
            // One that cannot be opened may be one that is looked for.
            record.opened()?;
            let title = record.text("title").unwrap_or_default();
            if matcher.matches(&title) {
                let secret = Secret::new(&self.envelope(record).await?)?;
                found.insert(title, secret.whole()?);
            }
        }
        Ok(found)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        Box::pin(push::push(&self.api, &self.folder, item)).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        Box::pin(push::delete(&self.api, target)).await
    }

    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
