//! An authenticated connection as the rest of the program sees it. Secrets of the vault are only
//! read, one at a time. A map is always that of the whole secret.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
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

    /// The data of a secret as JSON; empty where it has none.
    async fn data(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if reference.wanted_version().is_some() {
            return Err(Error::unsupported(
                "specifying a version is not yet supported",
            ));
        }
        self.api.read(&reference.key).await.map_err(missing_kept)
    }
}

/// A secret without data is an empty value, whatever the property.
fn wanted(data: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    if data.is_empty() {
        return Ok(SecretValue::default());
    }
    PROPERTY.wanted(data, reference)
}

fn members(data: &SecretValue) -> Result<SecretMap> {
    if data.is_empty() {
        return Ok(SecretMap::new());
    }
    MEMBERS.of(data)
}

fn unsupported(what: &str) -> Error {
    Error::unsupported(format!(
        "{what} is not supported by Delinea DevOps Secrets Vault"
    ))
}

impl Store for DelineaStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        wanted(&self.data(reference).await?, reference)
    }

    /// The property is not looked at, as in the original.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.data(reference).await?)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let data = match containing {
            Ok(Payload::Value(data)) => data,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(reference) => wanted(data, reference).map(Payload::Value),
            Read::Map(_) => members(data).map(Payload::Map),
            Read::Raw(_) | Read::Find(_) => Err(mismatch()),
        }
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

    /// Upstream signs in with the first read, and a store is ready before it.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_of_a_secret_without_data_is_empty() {
        let reference = RemoteRef::key("k").property("p");

        let value = wanted(&SecretValue::default(), &reference).unwrap();

        assert!(value.is_empty());
        assert!(wanted(&"{}".into(), &reference).is_err());
    }
}
