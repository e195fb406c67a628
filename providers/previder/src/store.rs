//! An authenticated connection as the rest of the program sees it. A secret is one text: properties and
//! versions are not looked at, and a map has the secret under its own id.

use lockstep_provider_api::prelude::*;

use crate::api::Api;

/// A connection to a Previder Vault environment.
pub struct PreviderStore {
    api: Api,
}

impl PreviderStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn members(value: &SecretValue, reference: &RemoteRef) -> SecretMap {
    SecretMap::from_iter([(reference.key.clone(), value.clone())])
}

impl Store for PreviderStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.api.read(&reference.key).await
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        Ok(members(&self.get(reference).await?, reference))
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Value(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let same = |value: &SecretValue, _: &RemoteRef| Ok(value.clone());
        read.extract_from_value(containing, same, |value, reference| {
            Ok(members(value, reference))
        })
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}
