//! What stands in for the remote store: a map of keys, or a list where versions, tags, metadata or
//! bytes matter. Reads answer as a provider would; a read that finds nothing says what is there.

mod shape;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_plan::external_secret::{Payload, Read};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::json::json_object;
use lockstep_provider_api::property::{Dots, extract_wanted};
use lockstep_provider_api::{
    Error, Find, MetadataPolicy, RemoteRef, Result, SecretMap, SecretValue,
};

use crate::closest::closest;

/// Everything the store holds.
#[derive(Default)]
pub(crate) struct Remote {
    secrets: Vec<Stored>,
}

/// One version of a secret.
struct Stored {
    key: String,
    version: Option<String>,
    value: SecretValue,
    tags: BTreeMap<String, String>,
    /// As JSON.
    metadata: Option<SecretValue>,
}

/// What a read missed.
pub(crate) struct Missed {
    /// The field of the reference that names it.
    pub(crate) field: &'static str,
    /// What to do.
    pub(crate) hint: String,
}

impl Remote {
    /// Answers a read; what is missing is returned beside the error.
    pub(crate) fn answer(&self, read: &Read) -> (Result<Payload>, Option<Missed>) {
        let (answer, reference) = match read {
            Read::Value(reference) | Read::Raw(reference) => {
                (self.value(reference).map(Payload::Value), reference)
            }
            Read::Map(reference) => {
                let map = self.value(reference).and_then(|value| {
                    json_object(&value).map_err(|error| error.context("unable to unmarshal secret"))
                });
                (map.map(Payload::Map), reference)
            }
            Read::Find(find) => return (self.find(find).map(Payload::Map), None),
        };
        let missed = answer.is_err().then(|| self.missed(reference)).flatten();
        (answer, missed)
    }

    fn value(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let stored = self.stored(reference).ok_or_else(Error::not_found)?;
        let value = match reference.metadata {
            MetadataPolicy::Fetch => stored.metadata.clone().ok_or_else(Error::not_found)?,
            MetadataPolicy::None => stored.value.clone(),
        };
        extract_wanted(value, reference, Dots::LiteralThenRaw)
    }

    /// The version asked for; without one, the last that is listed.
    fn stored(&self, reference: &RemoteRef) -> Option<&Stored> {
        let mut versions = self.versions(&reference.key);
        match reference.version.as_deref() {
            None => versions.last(),
            Some(wanted) => versions.find(|stored| stored.version.as_deref() == Some(wanted)),
        }
    }

    fn versions(&self, key: &str) -> impl Iterator<Item = &Stored> {
        self.secrets.iter().filter(move |stored| stored.key == key)
    }

    fn find(&self, find: &Find) -> Result<SecretMap> {
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        if matcher.is_none() && find.path.is_none() && find.tags.is_none() {
            let text =
                "find names nothing to look for; set find.name.regexp, find.path or find.tags";
            return Err(Error::invalid_spec(text));
        }
        let path = find.path.as_deref().unwrap_or_default();
        let found = self.secrets.iter().filter(|stored| {
            let tagged = |(tag, text): (&String, &String)| stored.tags.get(tag) == Some(text);
            stored.key.starts_with(path)
                && find.tags.iter().flatten().all(tagged)
                && matcher
                    .as_ref()
                    .is_none_or(|matcher| matcher.matches(&stored.key))
        });
        Ok(found
            .map(|stored| (stored.key.clone(), stored.value.clone()))
            .collect())
    }

    fn missed(&self, reference: &RemoteRef) -> Option<Missed> {
        let key = reference.key.as_str();
        let Some(stored) = self.stored(reference) else {
            let versions: Vec<&str> = self
                .versions(key)
                .filter_map(|stored| stored.version.as_deref())
                .collect();
            let is_known = self.versions(key).next().is_some();
            return Some(if is_known {
                Missed::new(
                    "version",
                    reference.version.as_deref(),
                    &versions,
                    "versions",
                )
            } else {
                let keys: BTreeSet<&str> = self.secrets.iter().map(|held| &*held.key).collect();
                let keys: Vec<&str> = keys.into_iter().collect();
                Missed::new("key", Some(key), &keys, "keys")
            });
        };
        if reference.metadata == MetadataPolicy::Fetch && stored.metadata.is_none() {
            let hint = "the remote file has no metadata for it; write it in the list form";
            return Some(Missed {
                field: "metadataPolicy",
                hint: hint.to_owned(),
            });
        }
        let property = reference.wanted_property()?;
        let members = json_object(&stored.value).unwrap_or_default();
        let members: Vec<&str> = members.keys().collect();
        Some(Missed::new("property", Some(property), &members, "members"))
    }
}

impl Missed {
    fn new(field: &'static str, wanted: Option<&str>, known: &[&str], word: &str) -> Self {
        let near = wanted.and_then(|wanted| closest(wanted, known.iter().copied()));
        let hint = match near {
            Some(near) => format!("did you mean {near:?}?"),
            None if known.is_empty() => format!("the remote file has no {word} there"),
            None => format!("the remote file has these {word}: {}", known.join(", ")),
        };
        Self { field, hint }
    }
}

#[cfg(test)]
mod tests;
