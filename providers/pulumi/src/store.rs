//! An authenticated connection as the rest of the program sees it. The key is a path of the
//! environment; properties and versions are not looked at.

use lockstep_provider_api::json::{Value, to_secret};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing_kept;

use crate::api::Api;
use crate::push;

/// A connection to a Pulumi ESC environment.
pub struct PulumiStore {
    api: Api,
}

impl PulumiStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

impl Store for PulumiStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.api.read(&reference.key).await.map_err(missing_kept)?;
        Ok(to_secret(&value))
    }

    /// One level of envelopes is opened, deeper ones stay; a value that is no mapping has no
    /// members, as upstream has it.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let value = self.api.read(&reference.key).await.map_err(missing_kept)?;
        let Value::Object(members) = value else {
            return Ok(SecretMap::new());
        };
        let members = members.into_iter().map(|(name, member)| match member {
            Value::Object(mut envelope) => {
                let value = envelope.remove("value").unwrap_or_default();
                (name, to_secret(&value))
            }
            other => (name, to_secret(&other)),
        });
        Ok(members.collect())
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported("GetAllSecrets is not supported"))
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(Error::unsupported("DeleteSecret is not supported"))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported("not implemented"))
    }

    /// Upstream asks for nothing before the first read, and a store is ready until then.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
