//! An authenticated connection as the rest of the program sees it. Writes are in `push`, values by type
//! in `item`.

use std::collections::BTreeSet;

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept, not_absence};
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::{item, push};

const PROPERTY: Property = Property::EscapedDotThenGjson;
const MEMBERS: Members = Members::UnquoteStrings;

/// A connection to Akeyless.
pub struct AkeylessStore {
    /// An address that is none fails each operation, and the check that the store shows.
    api: Result<Api>,
}

impl AkeylessStore {
    pub(crate) fn new(api: Result<Api>) -> Self {
        Self { api }
    }

    fn api(&self) -> Result<&Api> {
        self.api.as_ref().map_err(Error::duplicate)
    }
}

/// The value of an item. Upstream takes an empty one for a fault.
pub(crate) async fn value(api: &Api, key: &str, version: i32) -> Result<SecretValue> {
    let value = item::read(api, key, version).await?;
    if value.is_empty() {
        return Err(Error::invalid_data(format!(
            "invalid value received, found no value string : {key}"
        )));
    }
    Ok(value)
}

/// A version that is no number means the newest, as at upstream.
fn version(reference: &RemoteRef) -> i32 {
    let version = reference.wanted_version();
    version.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference).map_err(|error| {
        if error.kind() != &ErrorKind::NotFound {
            return error;
        }
        let property = reference.wanted_property().unwrap_or_default();
        missing(format!(
            "key {property} does not exist in value {}",
            reference.key
        ))
    })
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context("unable to unmarshal secret from JSON"))
}

/// A path as Akeyless has them: between slashes.
fn folder(path: Option<&str>) -> String {
    let Some(path) = path else {
        return String::new();
    };
    let before = if path.starts_with('/') { "" } else { "/" };
    let after = if format!("{before}{path}").ends_with('/') {
        ""
    } else {
        "/"
    };
    format!("{before}{path}{after}")
}

async fn found(api: &Api, find: &Find) -> Result<SecretMap> {
    let folder = folder(find.path.as_deref());
    let tags = find.tags.as_ref().filter(|tags| !tags.is_empty());
    let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
    let names: BTreeSet<String> = match (tags, &matcher) {
        (None, None) => return Err(Error::invalid_spec("unexpected find operator")),
        (None, Some(_)) => api.list(&folder, "").await?.into_iter().collect(),
        (Some(tags), _) => {
            let mut names = BTreeSet::new();
            for tag in tags.values() {
                names.extend(api.list(&folder, tag).await?);
            }
            names
        }
    };
    let mut secrets = SecretMap::new();
    for name in names {
        if matcher.as_ref().is_some_and(|m| !m.matches(&name)) {
            continue;
        }
        let value = item::read(api, &name, 0).await?;
        if !value.is_empty() {
            secrets.insert(name, value);
        }
    }
    Ok(secrets)
}

impl Store for AkeylessStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let read = value(self.api()?, &reference.key, version(reference)).await;
        wanted(&read.map_err(missing_kept)?, reference)
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

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        found(self.api()?, find).await.map_err(not_absence)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(self.api()?, item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(self.api()?, target).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(self.api()?, target).await
    }

    /// Upstream tries the connection alone: who may sign in shows with the first read.
    async fn check(&self) -> Check {
        let reached = match self.api() {
            Ok(api) => api.reach().await,
            Err(error) => Err(error),
        };
        match reached {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stands_between_slashes() {
        for (path, want) in [("app", "/app/"), ("/app/", "/app/"), ("", "/"), ("/", "/")] {
            assert_eq!(folder(Some(path)), want);
        }
        assert_eq!(folder(None), "");
    }

    #[test]
    fn a_version_that_is_no_number_is_the_newest() {
        let of = |text: &str| {
            version(&RemoteRef {
                version: Some(text.to_owned()),
                ..RemoteRef::key("k")
            })
        };

        assert_eq!((of("3"), of("latest"), of("")), (3, 0, 0));
    }

    #[test]
    fn a_missing_property_deletes_nothing() {
        let reference = RemoteRef::key("k").property("nope");

        let error = wanted(&"{}".into(), &reference).unwrap_err();

        assert!(!error.consequence().absent);
        assert_eq!(error.to_string(), "key nope does not exist in value k");
    }
}
