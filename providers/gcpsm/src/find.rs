//! Searching: by name or by labels, below a prefix of names. The server filters what it can; what
//! matches is read side by side. One secret that cannot be read fails the search, because a result
//! without it would be partial.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::keys::convert_keys;
use lockstep_provider_api::prelude::*;

use crate::api::Secret;
use crate::managed::Words;
use crate::store::Connection;

#[cfg(test)]
mod tests;

/// Reads at a time. The governor of the store limits searches, not what one of them reads.
const SIDE_BY_SIDE: usize = 8;

impl Connection {
    pub(crate) async fn search(&self, find: &Find) -> Result<SecretMap> {
        let tags = find.tags.as_ref().filter(|tags| !tags.is_empty());
        let path = find.path.as_deref().filter(|path| !path.is_empty());
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let filter = match (&matcher, tags) {
            // With a name the labels are not looked at, as upstream has it.
            (Some(_), _) => filter(None, path),
            (None, Some(tags)) => filter(Some(tags), path),
            (None, None) => {
                return Err(Error::invalid_spec(
                    "unexpected find operator: find needs name or tags",
                ));
            }
        };
        let listed = self.api.secrets(&filter).await;
        let listed = listed.map_err(|error| error.context("failed to list secrets"))?;
        // The server looks for the path anywhere in the name.
        let mut reads = Vec::new();
        for key in listed.iter().map(Secret::key) {
            let named = matcher.as_ref().is_none_or(|matcher| matcher.matches(key));
            if named && path.is_none_or(|path| key.starts_with(path)) {
                reads.push(self.found(key.to_owned()));
            }
        }
        let found: Vec<_> = stream::iter(reads)
            .buffer_unordered(SIDE_BY_SIDE)
            .try_collect()
            .await?;
        convert_keys(found.into_iter().flatten().collect(), find.conversion)
    }

    /// The value of a secret that was listed; `None` where it was deleted since.
    async fn found(&self, key: String) -> Result<Option<(String, SecretValue)>> {
        let reference = RemoteRef::key(&*key);
        match Box::pin(self.whole_of(&reference)).await {
            Ok(value) => Ok(Some((key, value))),
            Err(error) if *error.kind() == ErrorKind::NotFound => {
                // A secret without versions reads alike where the right to tell is missing.
                match self.api.secret(&key).await {
                    Err(failure) if failure.is_missing() => Ok(None),
                    _ => Err(partial(error, &key)),
                }
            }
            Err(error) if error.consequence().absent => Err(partial(error, &key)),
            Err(error) => Err(error),
        }
    }
}

/// The failure of a search because of one secret: never absence of what was searched for.
fn partial(error: Error, key: &str) -> Error {
    let text = error.to_string();
    let text = if text.contains(&format!("{key:?}")) {
        text
    } else {
        format!("{text} (secret {key:?})")
    };
    Error::new(ErrorKind::InvalidData, text)
        .advised()
        .with_source(error)
}

/// What the server itself looks for.
fn filter(tags: Option<&Words>, path: Option<&str>) -> String {
    let tags = tags.into_iter().flatten();
    let tags = tags.map(|(key, value)| format!("labels.{}={}", quoted(key), quoted(value)));
    let path = path.map(|path| format!("name:{}", quoted(path)));
    tags.chain(path).collect::<Vec<_>>().join(" ")
}

/// A word of a filter. Quoted where it would otherwise be read as more than one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
