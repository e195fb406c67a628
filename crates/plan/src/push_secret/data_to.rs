//! `spec.dataTo`: sets of keys turned into entries, one a key or one for all of them. Names are made
//! by conversion, selection and rewriting, in this order; two that meet are refused.

use std::collections::BTreeMap;

use kube::core::SelectorExt;
use lockstep_api::PushSecretSpec;
use lockstep_api::external_secret::RewriteRegexp;
use lockstep_api::push_secret::{
    DataTo, PushConversion, PushData, PushMatch, PushRemoteRef, PushStoreRef,
};
use lockstep_provider_api::SecretMap;
use lockstep_provider_api::keys::Reversal;

use super::stores::kind_of;
use crate::pattern::Pattern;
use crate::render::{NameError, transform_name};
use crate::selector;
use crate::store::StoreView;
use crate::work::Work;

/// What messages call the source key of an entry that has several.
const BUNDLE: &str = "(bundle)";

/// An entry that a set of keys gave.
#[derive(Clone, Debug)]
pub(super) struct Expanded {
    /// The entry as it is recorded.
    pub(super) data: PushData,
    /// What it pushes, where that is not the whole source.
    pub(super) payload: Option<SecretMap>,
}

/// Every set must name a store, and a store it names must be among `secretStoreRefs`.
pub(super) fn check_references(spec: &PushSecretSpec) -> Result<(), String> {
    for (at, set) in spec.data_to.iter().enumerate() {
        let Some(reference) = &set.store_ref else {
            return Err(format!("dataTo[{at}]: storeRef is required"));
        };
        let name = reference.name.as_deref().filter(|name| !name.is_empty());
        let Some(name) = name else {
            if reference.label_selector.is_none() {
                return Err(format!(
                    "dataTo[{at}]: storeRef must have either name or labelSelector"
                ));
            }
            continue;
        };
        let mut named = spec.secret_store_refs.iter();
        if !named.any(|own| own.name.as_deref() == Some(name) && same_kind(own, reference)) {
            return Err(format!(
                "dataTo[{at}]: storeRef {name:?} not found in secretStoreRefs"
            ));
        }
    }
    Ok(())
}

/// Every selector must match one of the stores that are pushed to.
pub(super) fn check_selectors<'a>(
    spec: &PushSecretSpec,
    stores: impl Iterator<Item = &'a StoreView> + Clone,
) -> Result<(), String> {
    for (at, set) in spec.data_to.iter().enumerate() {
        let by_labels = set
            .store_ref
            .as_ref()
            .is_some_and(|reference| reference.name.is_none());
        if !by_labels {
            continue;
        }
        let mut any = false;
        for store in stores.clone() {
            any |= is_for(set, store).map_err(|text| format!("dataTo[{at}]: {text}"))?;
        }
        if !any {
            return Err(format!(
                "dataTo[{at}]: labelSelector does not match any store in secretStoreRefs"
            ));
        }
    }
    Ok(())
}

/// The entries that the sets for one store give.
pub(super) fn expand(
    spec: &PushSecretSpec,
    store: &StoreView,
    source: &SecretMap,
    work: Work<'_>,
) -> Result<Vec<Expanded>, String> {
    let mut expanded = Vec::new();
    let mut seen: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (at, set) in spec.data_to.iter().enumerate() {
        let failed = |text: String| format!("dataTo[{at}]: {text}");
        if !is_for(set, store).map_err(failed)? {
            continue;
        }
        for entry in expand_set(set, source, work).map_err(failed)? {
            let remote = &entry.data.match_.remote_ref.remote_key;
            let key = entry.data.match_.secret_key.clone();
            let key = key.unwrap_or_else(|| BUNDLE.to_owned());
            if let Some((other, other_key)) = seen.get(remote) {
                return Err(failed(format!(
                    "duplicate remote key {remote:?} from source key {key:?} (conflicts with \
                     dataTo[{other}]:{other_key})"
                )));
            }
            seen.insert(remote.clone(), (at, key));
            expanded.push(entry);
        }
    }
    Ok(expanded)
}

fn expand_set(set: &DataTo, source: &SecretMap, work: Work<'_>) -> Result<Vec<Expanded>, String> {
    let keys = matching_keys(set, source, work)?;
    if let Some(remote) = set.remote_key.as_deref().filter(|key| !key.is_empty()) {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let value = |original: &str| source.get(original).cloned().unwrap_or_default();
        let payload = keys
            .iter()
            .map(|(converted, original)| (converted.clone(), value(original)))
            .collect();
        return Ok(vec![Expanded {
            data: entry(set, None, remote.to_owned()),
            payload: Some(payload),
        }]);
    }
    let mut entries = Vec::with_capacity(keys.len());
    for (converted, original) in keys {
        let remote = renamed(set, converted, work)?;
        if remote.is_empty() {
            return Err(format!(
                "empty remote key produced for source key {original:?}"
            ));
        }
        entries.push(Expanded {
            data: entry(set, Some(original), remote),
            payload: None,
        });
    }
    Ok(entries)
}

/// Keys of the source by their converted names, those that match.
fn matching_keys(
    set: &DataTo,
    source: &SecretMap,
    work: Work<'_>,
) -> Result<BTreeMap<String, String>, String> {
    let pattern = set.match_.as_ref().and_then(|wanted| {
        let text = wanted.regexp.as_deref();
        text.filter(|text| !text.is_empty())
    });
    let compile = |text: &str| {
        let refused =
            |error| format!("match failed: failed to compile regexp pattern {text:?}: {error}");
        Pattern::compile_within(text, work.budget).map_err(refused)
    };
    let pattern = pattern.map(compile).transpose()?;
    let reversal = reversal(set.conversion_strategy.as_ref());
    let mut keys = BTreeMap::new();
    let bytes: usize = source.keys().map(|key| 64 + key.len()).sum();
    work.spend(bytes / 16, 2 * bytes)
        .map_err(|error| error.to_string())?;
    for key in source.keys() {
        let converted = reversal.reverse(key);
        if keys.insert(converted.clone(), key.to_owned()).is_some() {
            return Err(format!(
                "secret name collision during conversion: {converted}"
            ));
        }
    }
    keys.retain(|converted, _| {
        let pattern = pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(converted))
    });
    Ok(keys)
}

/// The remote name of one key.
fn renamed(set: &DataTo, key: String, work: Work<'_>) -> Result<String, String> {
    let mut name = key;
    for (at, step) in set.rewrite.iter().enumerate() {
        let failed = |text: String| format!("rewrite failed: rewrite[{at}]{text}");
        if let Some(RewriteRegexp { source, target }) = &step.regexp {
            let pattern = Pattern::compile_within(source, work.budget)
                .map_err(|error| failed(format!(": invalid regexp {source:?}: {error}")))?;
            name = pattern
                .replace_within(&name, target, work.budget)
                .map_err(|text| failed(format!(": {text}")))?;
        } else if let Some(transform) = &step.transform {
            name = match transform_name(&transform.template, &name, work) {
                Ok(renamed) => renamed,
                Err(NameError::Parse(text)) => {
                    return Err(failed(format!(": invalid template: {text}")));
                }
                Err(NameError::Execute(text)) => {
                    return Err(failed(format!(" on key {name:?}: template exec: {text}")));
                }
            };
        }
    }
    Ok(name)
}

fn entry(set: &DataTo, secret_key: Option<String>, remote_key: String) -> PushData {
    PushData {
        match_: PushMatch {
            secret_key,
            remote_ref: PushRemoteRef {
                remote_key,
                property: None,
            },
        },
        metadata: set.metadata.clone(),
        // The names are converted already.
        conversion_strategy: Some(PushConversion::None),
    }
}

/// Whether a set is for a store.
fn is_for(set: &DataTo, store: &StoreView) -> Result<bool, String> {
    let Some(reference) = &set.store_ref else {
        return Ok(false);
    };
    if kind_of(reference.kind()).map_err(|error| error.to_string())? != store.key.kind {
        return Ok(false);
    }
    if let Some(name) = reference.name.as_deref().filter(|name| !name.is_empty()) {
        return Ok(name == store.key.name);
    }
    let Some(selector) = &reference.label_selector else {
        return Ok(false);
    };
    let compiled =
        selector::compile(selector).map_err(|fault| format!("invalid labelSelector: {fault}"))?;
    Ok(compiled.matches(&store.labels))
}

fn same_kind(one: &PushStoreRef, other: &PushStoreRef) -> bool {
    kind_of(one.kind()).ok() == kind_of(other.kind()).ok()
}

/// How keys become remote names.
pub(super) fn reversal(strategy: Option<&PushConversion>) -> Reversal {
    match strategy {
        Some(PushConversion::ReverseUnicode) => Reversal::ReverseUnicode,
        _ => Reversal::None,
    }
}
