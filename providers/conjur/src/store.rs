//! An authenticated connection as the rest of the program sees it. Conjur's variables are only read.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept, not_absence};
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::find::{self, Filter};

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::StrictStringMap;

/// A connection to a Conjur server.
pub struct ConjurStore {
    /// Faults of the manifest, missing credentials among them, fail each read; the store itself is ready.
    api: Result<Api>,
}

impl ConjurStore {
    pub(crate) fn new(api: Result<Api>) -> Self {
        Self { api }
    }

    fn api(&self) -> Result<&Api> {
        self.api.as_ref().map_err(Error::duplicate)
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference).map_err(|error| {
        if error.kind() != &ErrorKind::NotFound {
            return error;
        }
        let property = reference.wanted_property().unwrap_or_default();
        missing(format!("cannot find secret data for key: {property:?}"))
    })
}

/// The failure of a value whose members are wanted, with the secret it is about.
fn of_members(error: Error, reference: &RemoteRef) -> Error {
    error.context(format!("error getting secret {}", reference.key))
}

fn members(value: &SecretValue, reference: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context(format!("unable to unmarshal secret {}", reference.key)))
}

impl Store for ConjurStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let read = self.api()?.read(&reference.key).await;
        let value = read.map_err(missing_kept)?;
        wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let got = self.get(reference).await;
        let value = got.map_err(|error| of_members(error, reference))?;
        members(&value, reference)
    }

    /// Versions are not looked at: a variable gives its newest value.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Value(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let Read::Map(reference) = read else {
            return read.extract_from_value(containing, wanted, members);
        };
        let value = Read::Value(reference.clone());
        let value = value.extract_from_value(containing, wanted, members);
        match value.map_err(|error| of_members(error, reference))? {
            Payload::Value(value) => members(&value, reference).map(Payload::Map),
            Payload::Map(_) => Err(lockstep_provider_api::read::mismatch()),
        }
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let filter = Filter::new(find)?;
        let found = find::find(self.api()?, &filter).await;
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

    /// Upstream signs in with the first read, and a store is ready before it.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_property_deletes_nothing() {
        let reference = RemoteRef::key("k").property("nope");

        let error = wanted(&"{}".into(), &reference).unwrap_err();

        assert!(!error.consequence().absent);
        let text = "cannot find secret data for key: \"nope\"";
        assert_eq!(error.to_string(), text);
    }
}
