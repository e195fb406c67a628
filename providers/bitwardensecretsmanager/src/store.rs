//! An authenticated connection as the rest of the program sees it. Properties and versions are not
//! looked at: a secret of Bitwarden is one value. Writes are in `push`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Members;

use crate::api::Api;
use crate::lookup;
use crate::push;

const MEMBERS: Members = Members::YamlThenJson;

/// A connection to a Bitwarden organization.
pub struct BitwardenStore {
    api: Api,
}

impl BitwardenStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn members(value: &SecretValue) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context("error unmarshalling secret"))
}

impl Store for BitwardenStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let secret = lookup::secret(&self.api, &reference.key).await?;
        Ok(SecretValue::from(secret.value()))
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Value(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(
            containing,
            |value, _| Ok(value.clone()),
            |value, _| members(value),
        )
    }

    /// Every secret of the organization by its id, whatever is searched for: so does upstream, and a
    /// filter would take keys away from targets that exist.
    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        let mut found = SecretMap::new();
        let listed = self.api.list().await;
        let listed = listed.map_err(|error| error.context("failed to get all secrets"))?;
        for entry in listed {
            let secret = lookup::of_id(&self.api, &entry.id).await?;
            found.insert(entry.id, SecretValue::from(secret.value()));
        }
        Ok(found)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(&self.api, target).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(&self.api, target).await
    }

    /// Upstream signs in with the first read, and a store is ready before it.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
