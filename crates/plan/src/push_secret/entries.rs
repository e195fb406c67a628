//! What is pushed to one store from one source: the entries of `spec.data` and those that
//! `spec.dataTo` gives, each with its payload.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_api::push_secret::PushData;
use lockstep_api::{PushSecret, PushSecretSpec};
use lockstep_provider_api::keys::reverse_keys;
use lockstep_provider_api::{PushItem, SecretMap};

use super::data_to::{self, Expanded, reversal};
use super::names::{entry_id, namespace, property, target};
use super::plan::{Entry, set_failed};
use crate::cause::Cause;
use crate::failure::Failure;
use crate::render::Rendered;
use crate::store::StoreView;
use crate::work::Work;

/// Most keys of a source that a message lists.
const MOST_KEYS: usize = 10;

/// The entries for a store, in the order of the spec.
pub(super) fn entries(
    object: &PushSecret,
    store: &StoreView,
    source: &Rendered,
    work: Work<'_>,
) -> Result<Vec<Entry>, Failure> {
    let spec = &object.spec;
    let expanded = data_to::expand(spec, store, &source.data, work).map_err(|text| {
        set_failed(
            Cause::INVALID_SPEC,
            &format!("failed to expand dataTo: {text}"),
        )
    })?;
    let merged = merge(spec, expanded).map_err(|text| {
        let text = format!("failed to merge data entries: {text}");
        set_failed(Cause::INVALID_SPEC, &text)
    })?;
    // Every entry carries all keys of its source.
    let names: usize = source.data.keys().map(|key| 64 + key.len()).sum();
    let count = merged.len().saturating_mul(source.data.len());
    work.spend(count, names.saturating_mul(merged.len()))
        .map_err(|error| set_failed(Cause::INVALID_SPEC, &error.to_string()))?;
    let entries = merged.into_iter().map(|Expanded { data, payload }| Entry {
        id: entry_id(&data.match_.remote_ref),
        item: item(object, &data, payload, source),
        data,
    });
    Ok(entries.collect())
}

/// Explicit entries, then those of sets whose source key no explicit entry names.
fn merge(spec: &PushSecretSpec, expanded: Vec<Expanded>) -> Result<Vec<Expanded>, String> {
    let explicit: BTreeSet<&str> = spec.data.iter().filter_map(secret_key).collect();
    let kept = expanded.into_iter().filter(|entry| {
        let key = secret_key(&entry.data);
        key.is_none_or(|key| !explicit.contains(key))
    });
    let kept: Vec<Expanded> = kept.collect();
    refuse_duplicates(kept.iter().map(|entry| &entry.data).chain(&spec.data))?;
    let own = spec.data.iter().map(|data| Expanded {
        data: data.clone(),
        payload: None,
    });
    Ok(own.chain(kept).collect())
}

fn refuse_duplicates<'a>(entries: impl Iterator<Item = &'a PushData>) -> Result<(), String> {
    let mut seen: BTreeMap<(&str, Option<&str>), &str> = BTreeMap::new();
    for data in entries {
        let place = &data.match_.remote_ref;
        let key = secret_key(data).unwrap_or_default();
        let (remote, property) = (place.remote_key.as_str(), property(place));
        if let Some(other) = seen.insert((remote, property), key) {
            let property = property.map(|name| format!(" with property {name:?}"));
            return Err(format!(
                "duplicate remote key {remote:?}{}: source keys {other:?} and {key:?} both map to \
                 the same destination",
                property.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// What an entry hands to the provider.
fn item(
    object: &PushSecret,
    data: &PushData,
    payload: Option<SecretMap>,
    source: &Rendered,
) -> Result<PushItem, Failure> {
    let payload = payload.unwrap_or_else(|| source.data.clone());
    let payload = reverse_keys(payload, reversal(data.conversion_strategy.as_ref()))
        .map_err(|error| set_failed(Cause::INVALID_SPEC, &error.to_string()))?;
    let key = secret_key(data);
    if let Some(key) = key.filter(|key| payload.get(key).is_none()) {
        let text = format!("secret key {key} does not exist{}", keys_of(&payload));
        return Err(set_failed(Cause::SOURCE_KEY_MISSING, &text));
    }
    Ok(PushItem {
        target: target(data),
        secret_key: key.map(str::to_owned),
        source: payload,
        secret_type: source.secret_type.clone(),
        labels: source.labels.clone(),
        annotations: source.annotations.clone(),
        metadata: data.metadata.clone(),
        namespace: Some(namespace(object).to_owned()),
    })
}

/// What there is in place of a key that is missing.
fn keys_of(payload: &SecretMap) -> String {
    let keys: Vec<&str> = payload.keys().take(MOST_KEYS).collect();
    match keys.as_slice() {
        [] => "; the source has no keys".to_owned(),
        keys => format!("; the source has {}", keys.join(", ")),
    }
}

pub(super) fn secret_key(data: &PushData) -> Option<&str> {
    let key = data.match_.secret_key.as_deref();
    key.filter(|key| !key.is_empty())
}
