//! An authenticated connection as the rest of the program sees it. Conjur's variables are only read.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing_kept, not_absence};
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::find::{self, Filter};

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::StrictStringMap;

/// A connection to a Conjur server.
pub struct ConjurStore {
    api: Api,
}

impl ConjurStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference)
}

fn members(value: &SecretValue, reference: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context(format!("unable to unmarshal secret {}", reference.key)))
}

impl Store for ConjurStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.api.read(&reference.key).await.map_err(missing_kept)?;
        wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, reference)
    }

    /// Versions are not looked at: a variable gives its newest value.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Value(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, members)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let filter = Filter::new(find)?;
        let found = find::find(&self.api, &filter).await;
        found.map_err(not_absence)
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported(
            "pushing secrets is not implemented for the Conjur provider",
        ))
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(Error::unsupported(
            "deleting secrets is not implemented for the Conjur provider",
        ))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported("not implemented"))
    }

    /// Upstream signs in with the first read, and a store is ready before it.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
