//! An authenticated connection as the rest of the program sees it. Writes are in `push`.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Members, Property};

use crate::api::{Api, Selection};
use crate::error::absent;
use crate::key::Key;
use crate::push;

const PROPERTY: Property = Property::GjsonRawUnquoted;
const MEMBERS: Members = Members::UnquoteStrings;

/// A connection to a Scaleway project.
pub struct ScalewayStore {
    api: Api,
}

impl ScalewayStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference)
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context("unable to unmarshal secret"))
}

impl Store for ScalewayStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = Key::parse(&reference.key)?;
        let value = self.api.read(&key, reference.wanted_version()).await;
        wanted(&value.map_err(absent)?, reference)
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

    /// Tags are asked for by their names alone: Scaleway's tags have no values.
    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let tags = find.tags.iter().flat_map(|tags| tags.keys());
        let tags: Vec<&str> = tags.map(String::as_str).collect();
        let selection = Selection {
            folder: find.path.as_deref(),
            tags: &tags,
        };
        let mut found = SecretMap::new();
        for secret in self.api.list(selection).await? {
            if matcher.as_ref().is_some_and(|m| !m.matches(&secret.name)) {
                continue;
            }
            match self.api.newest(&secret.id).await {
                Ok(value) => {
                    found.insert(secret.name, value);
                }
                // Upstream leaves out what it cannot read. An outage is no reason to.
                Err(error) if is_left_out(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(&self.api, target).await
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}

fn is_left_out(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Denied)
}
