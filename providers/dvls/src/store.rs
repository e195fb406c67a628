//! An authenticated connection as the rest of the program sees it. An entry is read as a whole, and its
//! fields are taken out of it.

use lockstep_provider_api::json::{json_object, to_json_object};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
use lockstep_provider_kit::error::{missing, not_absence};

use crate::api::{Api, Place};

/// The field that a reference without a property means.
const DEFAULT: &str = "password";
const MUST_EXIST: &str = "entry must exist before pushing secrets";

/// A connection to a Devolutions Server.
pub struct DvlsStore {
    api: Api,
}

impl DvlsStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }

    /// The fields of an entry. An entry that is gone is absence only while its vault is there.
    async fn fields(&self, key: &str) -> Result<SecretMap> {
        let place = self.api.place(key).await.map_err(not_absence)?;
        let place = place.ok_or_else(Error::not_found)?;
        match self.api.entry(&place).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => {
                if !self.api.lost_vault(&place).await? {
                    return Err(Error::not_found());
                }
                let text = format!("vault {:?} was not found or has been deleted", place.vault);
                Err(not_absence(error).context(text))
            }
            Err(error) => Err(error.context("failed to get entry")),
            Ok(entry) => entry.members(),
        }
    }

    /// The place that a reference means; `None` also where its vault is missing, which leaves nothing
    /// to write to or to delete.
    async fn writable(&self, key: &str) -> Result<Option<Place>> {
        match self.api.place(key).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(None),
            place => place,
        }
    }
}

fn value(fields: &SecretMap, reference: &RemoteRef) -> Result<SecretValue> {
    let property = reference.wanted_property().unwrap_or(DEFAULT);
    let found = fields.get(property).cloned();
    // Upstream does not see a missing field as a missing secret.
    found.ok_or_else(|| missing(format!("property {property:?} not found in entry")))
}

fn pushed(item: &PushItem) -> Result<SecretValue> {
    let Some(key) = item.wanted_key() else {
        return Err(Error::invalid_spec("secretKey is required for DVLS push"));
    };
    match item.source.get(key) {
        None => Err(Error::invalid_spec(format!(
            "key {key:?} not found in secret"
        ))),
        Some(value) if value.is_empty() => Err(Error::invalid_spec(format!(
            "key {key:?} in secret is empty"
        ))),
        Some(value) => Ok(value.clone()),
    }
}

impl Store for DvlsStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        value(&self.fields(&reference.key).await?, reference)
    }

    /// Properties are not looked at, as at upstream.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        self.fields(&reference.key).await
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        Ok(to_json_object(&self.fields(&reference.key).await?))
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let fields = match containing {
            Ok(Payload::Value(fields)) => fields,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(reference) => value(&json_object(fields)?, reference).map(Payload::Value),
            Read::Map(_) => json_object(fields).map(Payload::Map),
            Read::Raw(_) => Ok(Payload::Value(fields.clone())),
            Read::Find(_) => Err(mismatch()),
        }
    }

    /// Upstream writes also where nothing changed.
    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let key = &item.target.remote_key;
        let place = self
            .writable(key)
            .await?
            .ok_or_else(|| Error::invalid_spec(format!("entry {key:?} not found: {MUST_EXIST}")))?;
        let value = pushed(item)?;
        let entry = self.api.entry(&place).await.map_err(|error| {
            if error.kind() != &ErrorKind::NotFound {
                return error.context("failed to get entry");
            }
            let Place { vault, entry } = &place;
            Error::invalid_spec(format!(
                "entry {entry} not found in vault {vault}: {MUST_EXIST}"
            ))
        })?;
        let body = entry.with_password(&value)?;
        let updated = self.api.update(&place, &body).await;
        updated.map_err(|error| error.context("failed to update entry"))?;
        Ok(Pushed::Updated)
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let Some(place) = self.writable(&target.remote_key).await? else {
            return Ok(());
        };
        match self.api.delete(&place).await {
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
            deleted => deleted.map_err(|error| {
                let Place { vault, entry } = &place;
                error.context(format!(
                    "failed to delete entry {entry:?} from vault {vault:?}"
                ))
            }),
        }
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let Some(place) = self.writable(&target.remote_key).await? else {
            return Ok(false);
        };
        match self.api.entry(&place).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error.context("failed to create DVLS client")),
        }
    }
}
