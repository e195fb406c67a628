//! Disabled and destroyed versions: enabling, and writing past them. Google deletes secrets at once
//! and for good, so that a deletion that can be undone disables versions instead.

use futures_util::future::BoxFuture;
use lockstep_provider_api::lifecycle::{
    Backend, Description, Lifecycle, OtherTags, Owner, Purging, Shape, State, Undo, Writing,
};
use lockstep_provider_api::prelude::*;

use crate::api::Version;
use crate::managed;
use crate::push::check_size;
use crate::read::newest;
use crate::store::{Connection, GcpsmStore};

const ENABLED: &str = "ENABLED";
const DESTROYED: &str = "DESTROYED";

impl Lifecycle for GcpsmStore {
    fn backend(&self) -> Backend {
        Backend {
            name: "Google Secret Manager",
            shape: Shape::Any,
            window: None,
        }
    }

    fn describe<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Description>> {
        Box::pin(async move { self.connected()?.description(key).await })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let secrets = self.connected()?.api.secrets("").await?;
            let keys = secrets.iter().map(|secret| secret.key().to_owned());
            Ok(keys.filter(|key| key.starts_with(prefix)).collect())
        })
    }

    fn put<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(async move { self.connected()?.put(item).await })
    }

    fn differing_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move { self.connected()?.differing_words(item).await })
    }

    fn set_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.connected()?.set_words(item).await })
    }

    fn adopt<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let api = &self.connected()?.api;
            let secret = api.secret(key).await?;
            let labels = managed::marked(secret.labels.clone());
            let etag = secret.etag.as_deref();
            api.update(key, etag, &labels, &secret.annotations).await?;
            Ok(())
        })
    }

    fn delete<'a>(&'a self, key: &'a str, _: Option<u32>) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { self.connected()?.disable(key).await })
    }

    fn restore<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move { self.connected()?.enable(key).await })
    }

    fn purge<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            match self.connected()?.api.delete(key, None).await {
                Err(failure) if !failure.is_missing() => Err(failure.error),
                _ => Ok(State::Missing),
            }
        })
    }
}

impl Connection {
    async fn description(&self, key: &str) -> Result<Description> {
        let missing = Description::missing(Undo::Open);
        let secret = match self.api.secret(key).await {
            Ok(secret) => secret,
            Err(failure) if failure.is_missing() => return Ok(missing),
            Err(failure) => return Err(failure.error),
        };
        let versions = self.api.versions(key).await?;
        let enabled = versions.iter().filter(|version| version.state == ENABLED);
        Ok(Description {
            readable: Some(enabled.count() as u64),
            state: newest(versions).map_or(State::NoVersion, |version| state(&version)),
            owner: if managed::is_ours(&secret.labels) {
                Owner::Ours
            } else {
                Owner::Foreign
            },
            undo: Undo::Open,
            writing: Writing::Direct,
            purging: Purging::Allowed,
        })
    }

    /// A push compares with the newest version; one that cannot be read is written past.
    async fn put(&self, item: &PushItem) -> Result<Pushed> {
        let key = &item.target.remote_key;
        let is_dead = match self.api.versions(key).await {
            Ok(versions) => newest(versions).is_some_and(|version| version.state != ENABLED),
            Err(failure) if failure.is_missing() => false,
            Err(failure) => return Err(failure.error),
        };
        if !is_dead {
            return self.write(item, OtherTags::Keep).await;
        }
        let value = item.value()?;
        check_size(&value)?;
        self.set_words(item).await?;
        self.api.add_version(key, &value).await?;
        Ok(Pushed::Updated)
    }

    /// Makes every version unreadable.
    async fn disable(&self, key: &str) -> Result<State> {
        let versions = match self.api.versions(key).await {
            Ok(versions) => versions,
            Err(failure) if failure.is_missing() => return Ok(State::Missing),
            Err(failure) => return Err(failure.error),
        };
        for version in versions.iter().filter(|version| version.state == ENABLED) {
            self.api.disable(key, version.number()).await?;
        }
        Ok(self.description(key).await?.state)
    }

    /// Makes the newest version that still has a payload readable, which cancels its destruction.
    async fn enable(&self, key: &str) -> Result<State> {
        let mut versions = self.api.versions(key).await?;
        versions.retain(|version| version.state != DESTROYED);
        let Some(version) = newest(versions) else {
            return Err(Error::invalid_data(
                "no version is left that could be enabled; add a new one",
            ));
        };
        self.api.enable(key, version.number()).await?;
        Ok(self.description(key).await?.state)
    }
}

fn state(version: &Version) -> State {
    match (version.state.as_str(), version.scheduled_destroy_time) {
        (ENABLED, _) => State::Available,
        (DESTROYED, _) => State::Destroyed,
        (_, None) => State::Disabled,
        (_, until) => State::PendingDeletion { until },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_with_a_time_to_be_destroyed_is_pending_and_others_are_what_they_say() {
        let until = "2026-12-01T00:00:00Z".parse().ok();
        let version = |word: &str, until| {
            state(&Version {
                state: word.to_owned(),
                scheduled_destroy_time: until,
                ..Version::default()
            })
        };

        assert_eq!(version("ENABLED", None), State::Available);
        assert_eq!(version("DISABLED", None), State::Disabled);
        assert_eq!(version("DISABLED", until), State::PendingDeletion { until });
        assert_eq!(version("DESTROYED", None), State::Destroyed);
    }
}
