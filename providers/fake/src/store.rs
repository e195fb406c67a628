//! Reads entries of the manifest and pushed values. An entry is stored under key and version
//! written together and must then match both, which is how upstream looks them up.

use std::collections::BTreeMap;
use std::fmt;

use lockstep_provider_api::context::StoreName;
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::json::json_object;
use lockstep_provider_api::keys::convert_keys;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{Dots, extract_wanted};

use crate::pushed::PushedValues;
use crate::spec::FakeSpec;

#[cfg(test)]
mod tests;

/// A connection to a fake store.
pub struct FakeStore {
    entries: BTreeMap<String, Entry>,
    pushed: PushedValues,
    validation_result: i64,
}

#[derive(Clone)]
struct Entry {
    version: String,
    value: SecretValue,
}

impl FakeStore {
    pub(crate) fn open(spec: FakeSpec, store: &StoreName) -> Self {
        let pushed = PushedValues::of(store);
        let mut entries = BTreeMap::new();
        for item in spec.data {
            let at = item.key + &item.version;
            // What the manifest says replaces what was pushed, for good.
            pushed.remove(&at);
            let entry = Entry {
                version: item.version,
                value: item.value,
            };
            entries.insert(at, entry);
        }
        Self {
            entries,
            pushed,
            validation_result: spec.validation_result.unwrap_or_default(),
        }
    }

    fn lookup(&self, reference: &RemoteRef) -> Option<SecretValue> {
        let version = reference.version.as_deref().unwrap_or_default();
        let at = format!("{}{version}", reference.key);
        match self.entries.get(&at) {
            Some(entry) => (entry.version == version).then(|| entry.value.clone()),
            None if version.is_empty() => self.pushed.get(&at),
            None => None,
        }
    }

    /// The highest version of every secret, by name.
    fn latest(&self) -> BTreeMap<String, Entry> {
        let pushed = self.pushed.all().into_iter().map(|(at, value)| {
            let version = String::new();
            (at, Entry { version, value })
        });
        let own = self
            .entries
            .iter()
            .map(|(at, entry)| (at.clone(), entry.clone()));
        let mut latest: BTreeMap<String, Entry> = BTreeMap::new();
        for (at, entry) in pushed.chain(own) {
            let name = at.strip_suffix(&entry.version).unwrap_or(&at).to_owned();
            let known = latest.get(&name);
            if known.is_none_or(|known| known.version <= entry.version) {
                latest.insert(name, entry);
            }
        }
        latest
    }
}

impl Store for FakeStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.lookup(reference).ok_or_else(Error::not_found)?;
        extract_wanted(value, reference, Dots::Raw)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let wanted = |value: &SecretValue, reference: &RemoteRef| {
            extract_wanted(value.clone(), reference, Dots::Raw)
        };
        read.extract_from_value(containing, wanted, |value, _| members(value))
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let Some(pattern) = &find.name else {
            return Err(Error::unsupported(format!(
                "unsupported find operator: {}; the fake provider finds by name only",
                if find.tags.is_none() { "path" } else { "tags" }
            )));
        };
        let matcher = NameMatcher::new(pattern)?;
        let found = self
            .latest()
            .into_iter()
            .filter(|(name, _)| matcher.matches(name))
            .map(|(name, entry)| (name, entry.value))
            .collect();
        convert_keys(found, find.conversion)
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let key = &item.target.remote_key;
        if self.entries.contains_key(key) {
            return Err(Error::new(ErrorKind::Conflict, "key already exists"));
        }
        self.pushed.put(key, item.value()?)
    }

    /// What the manifest holds stays.
    async fn delete(&self, target: &PushTarget) -> Result<()> {
        self.pushed.remove(&target.remote_key);
        Ok(())
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let key = &target.remote_key;
        Ok(self.entries.contains_key(key) || self.pushed.contains(key))
    }

    async fn check(&self) -> Check {
        let unable = || Error::invalid_spec("unable to validate");
        match self.validation_result {
            0 => Check::Healthy(Health::Ready),
            1 => Check::Undetermined(unable()),
            _ => Check::Failed(unable()),
        }
    }
}

fn members(value: &SecretValue) -> Result<SecretMap> {
    json_object(value).map_err(|error| error.context("unable to unmarshal secret"))
}

impl fmt::Debug for FakeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeStore")
            .field("entries", &self.entries.keys())
            .field("validation_result", &self.validation_result)
            .finish_non_exhaustive()
    }
}
