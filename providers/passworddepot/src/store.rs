//! An authenticated connection as the rest of the program sees it. Entries are only read, each as a
//! whole.

use lockstep_provider_api::json::{json_object, to_json_object};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;

use crate::api::Api;

/// A connection to a Password Depot database.
pub struct PassworddepotStore {
    api: Api,
}

impl PassworddepotStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

/// Every entry has the same fields, so what is not there is the manifest's fault.
fn value(fields: &SecretMap, reference: &RemoteRef) -> Result<SecretValue> {
    let property = reference.wanted_property().unwrap_or_default();
    let found = fields.get(property).cloned();
    found.ok_or_else(|| Error::invalid_spec("key not found in secret data"))
}

fn of_map(error: Error, reference: &RemoteRef) -> Error {
    error.context(format!("error getting secret {}", reference.key))
}

impl Store for PassworddepotStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        value(&self.api.entry(&reference.key).await?, reference)
    }

    /// Properties are not looked at, as at upstream.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let entry = self.api.entry(&reference.key).await;
        entry.map_err(|error| of_map(error, reference))
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        Ok(to_json_object(&self.api.entry(&reference.key).await?))
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let fields = match (containing, read) {
            (Ok(Payload::Value(fields)), _) => fields,
            (Ok(Payload::Map(_)), _) => return Err(mismatch()),
            (Err(error), Read::Map(reference)) => {
                return Err(of_map(error.duplicate(), reference));
            }
            (Err(error), _) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(reference) => value(&json_object(fields)?, reference).map(Payload::Value),
            Read::Map(_) => json_object(fields).map(Payload::Map),
            Read::Raw(_) => Ok(Payload::Value(fields.clone())),
            Read::Find(_) => Err(mismatch()),
        }
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported("GetAllSecrets not implemented"))
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported("PushSecret not implemented"))
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(Error::unsupported("DeleteSecret not implemented"))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported("SecretExists not implemented"))
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}
