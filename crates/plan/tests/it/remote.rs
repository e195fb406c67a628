//! What the stores of a case hold: values by store and key, or failures.

use std::collections::BTreeMap;

use lockstep_plan::external_secret::{FetchList, Payload, Read, Source};
use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::json::json_object;
use lockstep_provider_api::{Error, ErrorKind, SecretMap, SecretValue};
use serde::Deserialize;

/// Stores by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Remote(pub(crate) BTreeMap<String, BTreeMap<String, Held>>);

/// A value or a failure.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Held {
    Value(String),
    Failure { error: String, text: String },
}

impl Remote {
    /// Reads a list in order, as an engine would.
    pub(crate) fn answer(&self, list: &FetchList) -> Vec<Result<Payload, Error>> {
        list.items
            .iter()
            .map(|item| self.read(&item.source))
            .collect()
    }

    fn read(&self, source: &Source) -> Result<Payload, Error> {
        let Source::Store { key, read } = source else {
            return Err(Error::unsupported("generators are not in this build"));
        };
        let store = self.0.get(&key.name).cloned().unwrap_or_default();
        match read {
            Read::Value(reference) | Read::Raw(reference) => {
                held(&store, &reference.key).map(Payload::Value)
            }
            Read::Map(reference) => held(&store, &reference.key)
                .and_then(|value| json_object(&value))
                .map(Payload::Map),
            Read::Find(find) => {
                let names = NameMatcher::new(find.name.as_deref().unwrap_or_default())?;
                let names = store.keys().filter(|name| names.matches(name));
                let found = names.map(|name| Ok((name.clone(), held(&store, name)?)));
                found
                    .collect::<Result<SecretMap, Error>>()
                    .map(Payload::Map)
            }
        }
    }
}

fn held(store: &BTreeMap<String, Held>, key: &str) -> Result<SecretValue, Error> {
    match store.get(key) {
        None => Err(Error::not_found()),
        Some(Held::Value(text)) => Ok(SecretValue::from(text.as_str())),
        Some(Held::Failure { error, text }) => {
            let kind = match error.as_str() {
                "Denied" => ErrorKind::Denied,
                "Throttled" => ErrorKind::Throttled,
                "Unreachable" => ErrorKind::Unreachable,
                other => panic!("no such error: {other}"),
            };
            Err(Error::new(kind, text.clone()))
        }
    }
}
