//! Searching: folders are listed from the path downwards, names and custom metadata are matched, and
//! what matches is read side by side. What was deleted is left out; anything else that cannot be read
//! fails the search, because a result without it would be partial.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;

use crate::api::{Kv, Words};
use crate::read::{facts, whole};
use crate::spec::Version;

/// Requests at a time. The governor of the store limits searches, not what one of them reads.
const SIDE_BY_SIDE: usize = 8;
/// Most names that one search looks at.
const MOST_NAMES: usize = 20_000;

impl Kv {
    pub(crate) async fn search(&self, find: &Find) -> Result<SecretMap> {
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let tags = find.tags.as_ref().filter(|tags| !tags.is_empty());
        if tags.is_some() && self.version() == Version::V1 {
            return Err(Error::invalid_spec(
                "cannot perform find by tag operations with kv version v1",
            ));
        }
        let folder = find.path.as_deref().unwrap_or_default().trim_matches('/');
        let mut names = self.names(folder).await?;
        if names.is_empty() {
            return Err(self.absent(folder).await);
        }
        names.retain(|name| matcher.as_ref().is_none_or(|matcher| matcher.matches(name)));
        let reads = names.into_iter().map(|name| self.found(name, tags));
        let found: Vec<_> = stream::iter(reads)
            .buffer_unordered(SIDE_BY_SIDE)
            .try_collect()
            .await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// All names below a folder, with their path below the mount.
    pub(crate) async fn names(&self, folder: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        let mut folders = vec![folder.to_owned()];
        let mut looked_at = 0;
        while !folders.is_empty() {
            let level = std::mem::take(&mut folders);
            let lists = level.into_iter().map(|folder| self.entries(folder));
            let lists: Vec<Vec<String>> = stream::iter(lists)
                .buffer_unordered(SIDE_BY_SIDE)
                .try_collect()
                .await?;
            for entry in lists.into_iter().flatten() {
                looked_at += 1;
                if looked_at > MOST_NAMES {
                    return Err(Error::invalid_spec(format!(
                        "find looks at more than {MOST_NAMES} names below {folder:?}; \
                         narrow it down with find.path"
                    )));
                }
                match entry.strip_suffix('/') {
                    Some(below) => folders.push(below.to_owned()),
                    None => names.push(entry),
                }
            }
        }
        Ok(names)
    }

    async fn entries(&self, folder: String) -> Result<Vec<String>> {
        let listed = self.list(&folder).await;
        let listed =
            listed.map_err(|failure| failure.error.context(format!("cannot list {folder:?}")))?;
        let full = |name: String| match folder.as_str() {
            "" => name,
            folder => format!("{folder}/{name}"),
        };
        Ok(listed.into_iter().map(full).collect())
    }

    /// The value of a secret that was listed; `None` where it was deleted or its tags differ.
    async fn found(
        &self,
        name: String,
        tags: Option<&BTreeMap<String, String>>,
    ) -> Result<Option<(String, SecretValue)>> {
        if let Some(tags) = tags {
            match self.metadata(&name).await {
                Ok(metadata) if has_all(&facts(&metadata), tags) => {}
                Ok(_) => return Ok(None),
                Err(failure) if failure.is_missing() => return Ok(None),
                Err(failure) => return Err(failure.error),
            }
        }
        match self.read(&name, None).await {
            Ok(secret) => Ok(secret.data.map(|members| (name, whole(members)))),
            Err(failure) if failure.is_missing() => Ok(None),
            Err(failure) => Err(self.explained(failure, &name).await),
        }
    }
}

fn has_all(facts: &Words, tags: &BTreeMap<String, String>) -> bool {
    tags.iter()
        .all(|(name, value)| facts.get(name) == Some(value))
}
