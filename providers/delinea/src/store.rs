//! An authenticated connection as the rest of the program sees it. Secrets of the vault are only
//! read, one at a time.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing_kept;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::GoBytes;

/// A connection to a tenant of the vault.
pub struct DelineaStore {
    api: Api,
}

impl DelineaStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference)
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    if value.is_empty() {
        return Ok(SecretMap::new());
    }
    MEMBERS.of(value)
}

fn unsupported(what: &str) -> Error {
    Error::unsupported(format!(
        "{what} is not supported by Delinea DevOps Secrets Vault"
    ))
}

impl Store for DelineaStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if reference.wanted_version().is_some() {
            return Err(Error::unsupported(
                "specifying a version is not yet supported",
            ));
        }
        let value = self.api.read(&reference.key).await.map_err(missing_kept)?;
        wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, members)
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(unsupported("getting all secrets"))
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(unsupported("pushing secrets"))
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(unsupported("deleting secrets"))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported("not implemented"))
    }

    /// Upstream signs in with the first read, and a store is ready before it.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
