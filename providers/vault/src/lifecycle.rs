//! Deleted and destroyed versions of the KV engine: undeleting, and removing everything. The first
//! version of the engine keeps nothing of what was deleted.

use futures_util::future::BoxFuture;
use lockstep_provider_api::http::Method;
use lockstep_provider_api::json::{Number, Value, marshal};
use lockstep_provider_api::lifecycle::{
    Backend, Description, Lifecycle, Owner, Purging, Shape, State, Undo, Writing, differing,
};
use lockstep_provider_api::prelude::*;

use crate::api::{Kv, Members, Words, member, number, text, words};
use crate::managed;
use crate::push::Checked;
use crate::server::Ask;
use crate::spec::Version;

mod custom;

use custom::custom_metadata;

impl Lifecycle for Kv {
    fn backend(&self) -> Backend {
        Backend {
            name: match self.version() {
                Version::V1 => "KV v1 engine",
                Version::V2 => "KV v2 engine",
            },
            shape: Shape::Object,
            window: None,
        }
    }

    fn describe<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Description>> {
        Box::pin(async move {
            match self.version() {
                Version::V1 => self.description_without_versions(key).await,
                Version::V2 => Ok(self.known_versions(key).await?.map_or_else(
                    || Description::missing(Undo::Open),
                    |known| known.description(),
                )),
            }
        })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
            let mut names = self.names(folder).await?;
            names.retain(|name| name.starts_with(prefix));
            Ok(names)
        })
    }

    /// Names the version it replaces, so that nobody else's write is lost.
    fn put<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>> {
        Box::pin(self.push(item, Checked::Yes))
    }

    fn differing_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let wanted = custom_metadata(item)?;
            if wanted.is_empty() {
                return Ok(Vec::new());
            }
            let current = self.current(&item.target.remote_key).await?;
            Ok(differing(&current.custom, &wanted))
        })
    }

    fn set_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let wanted = custom_metadata(item)?;
            self.set_custom(&item.target.remote_key, wanted).await
        })
    }

    fn adopt<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.set_custom(key, managed::marked(Words::new())))
    }

    /// Deletes every version that can be read, not the newest alone.
    fn delete<'a>(&'a self, key: &'a str, _: Option<u32>) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            if self.version() == Version::V1 {
                Kv::delete(self, key).await?;
                return Ok(State::Missing);
            }
            let Some(known) = self.known_versions(key).await? else {
                return Ok(State::Missing);
            };
            if !known.readable.is_empty() {
                self.turn("delete", key, &known.readable).await?;
            }
            self.state(key).await
        })
    }

    fn restore<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            if self.version() == Version::V1 {
                return Err(Error::unsupported(
                    "KV v1 keeps nothing of a deleted secret",
                ));
            }
            if let Some(known) = self.known_versions(key).await?
                && matches!(known.state, State::PendingDeletion { .. })
            {
                self.turn("undelete", key, &[known.newest]).await?;
            }
            self.state(key).await
        })
    }

    fn purge<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>> {
        Box::pin(async move {
            Kv::delete(self, key).await?;
            Ok(State::Missing)
        })
    }
}

/// What the metadata of a secret says about its versions.
struct Known {
    newest: u64,
    state: State,
    readable: Vec<u64>,
    custom: Words,
}

impl Known {
    fn read(metadata: &Value, now: jiff::Timestamp) -> Self {
        let newest = member(metadata, "current_version").map_or(0, number);
        let versions = member(metadata, "versions").and_then(Value::as_object);
        let mut readable = Vec::new();
        let mut state = State::NoVersion;
        for (name, version) in versions.into_iter().flatten() {
            let found = state_of(version, now);
            let Ok(name) = name.parse::<u64>() else {
                continue;
            };
            if found == State::Available {
                readable.push(name);
            }
            if name == newest {
                state = found;
            }
        }
        Self {
            newest,
            state,
            readable,
            custom: member(metadata, managed::CUSTOM)
                .map(words)
                .unwrap_or_default(),
        }
    }

    fn description(&self) -> Description {
        Description {
            state: self.state,
            owner: owner(&self.custom),
            readable: Some(self.readable.len() as u64),
            undo: Undo::Open,
            writing: Writing::Direct,
            purging: Purging::Allowed,
        }
    }
}

fn owner(custom: &Words) -> Owner {
    if managed::is_ours(custom) {
        Owner::Ours
    } else {
        Owner::Foreign
    }
}

/// A deletion time that is to come is that of a version with a limited life.
fn state_of(version: &Value, now: jiff::Timestamp) -> State {
    if member(version, "destroyed") == Some(&Value::Bool(true)) {
        return State::Destroyed;
    }
    let deleted: Option<jiff::Timestamp> = text(version, "deletion_time").parse().ok();
    match deleted {
        Some(at) if at <= now => State::PendingDeletion { until: None },
        _ => State::Available,
    }
}

impl Kv {
    /// The versions of a secret; `None` where there is none, provided that the engine is the right one.
    async fn known_versions(&self, key: &str) -> Result<Option<Known>> {
        match self.metadata(key).await {
            Ok(metadata) => Ok(Some(Known::read(&metadata, self.connection.ctx().now()))),
            Err(failure) if failure.is_missing() => {
                let absent = self.absent(key).await;
                match absent.kind() {
                    ErrorKind::NotFound => Ok(None),
                    _ => Err(absent),
                }
            }
            Err(failure) => Err(failure.error),
        }
    }

    async fn description_without_versions(&self, key: &str) -> Result<Description> {
        let current = self.current(key).await?;
        if current.data.is_none() {
            return Ok(Description::missing(Undo::Never));
        }
        Ok(Description {
            state: State::Available,
            owner: owner(&current.custom),
            readable: Some(1),
            undo: Undo::Never,
            writing: Writing::Direct,
            purging: Purging::Allowed,
        })
    }

    async fn state(&self, key: &str) -> Result<State> {
        let known = self.known_versions(key).await?;
        Ok(known.map_or(State::Missing, |known| known.state))
    }

    /// Deletes or undeletes versions.
    async fn turn(&self, verb: &str, key: &str, versions: &[u64]) -> Result<()> {
        let path = self.mount.action(verb, key)?;
        let numbers = versions
            .iter()
            .map(|version| Value::Number(Number::Text(version.to_string())));
        let numbers = Value::Array(numbers.collect());
        let body = Members::from([("versions".to_owned(), numbers)]);
        let mut ask = Ask::new("WriteSecretData", Method::PUT, &path);
        ask.body = Some(SecretValue::from(marshal(&Value::Object(body))));
        self.connection.ask(ask).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::json::decode_verbatim;

    use super::*;

    fn known(json: &str) -> Known {
        let metadata = decode_verbatim(json.as_bytes()).unwrap();
        Known::read(&metadata, "2026-11-17T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn the_newest_version_decides_and_the_readable_ones_are_counted() {
        let known = known(
            r#"{"current_version":3,"custom_metadata":{"managed-by":"external-secrets"},
                "versions":{
                  "1":{"deletion_time":"","destroyed":false},
                  "2":{"deletion_time":"","destroyed":true},
                  "3":{"deletion_time":"2026-11-16T00:00:00.5Z","destroyed":false}}}"#,
        );

        assert_eq!(known.state, State::PendingDeletion { until: None });
        assert_eq!(known.readable, [1]);
        assert_eq!(known.description().owner, Owner::Ours);
    }

    #[test]
    fn a_version_that_will_be_deleted_later_can_still_be_read() {
        let known = known(
            r#"{"current_version":1,"custom_metadata":null,
                "versions":{"1":{"deletion_time":"2027-01-01T00:00:00Z","destroyed":false}}}"#,
        );

        assert_eq!(known.state, State::Available);
        assert_eq!(known.description().owner, Owner::Foreign);
    }

    #[test]
    fn metadata_alone_is_a_secret_without_a_version() {
        let known = known(r#"{"current_version":0,"versions":{}}"#);

        assert_eq!(known.state, State::NoVersion);
    }
}
