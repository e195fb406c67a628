//! Lays manifests over the objects that are there, as an API server would when they are applied: identity
//! and status stay, and spec, labels and annotations are what the apply leaves of both. Says for each
//! object whether it is new, changed or the same.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::store::{StoreRecord, StoreView};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::changed_fields::{Rule, changed};
use crate::merged::{merged, merged_texts};
use crate::objects::{Objects, Texts};
use crate::owners::Owners;

/// What applying a manifest does to its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// There was none.
    New,
    /// These fields change.
    Changed(Vec<String>),
    /// Nothing changes.
    Same,
}

impl Change {
    fn of(paths: Vec<String>) -> Self {
        if paths.is_empty() {
            Self::Same
        } else {
            Self::Changed(paths)
        }
    }

    /// Whether the operator would notice.
    pub(crate) fn is_news(&self) -> bool {
        *self != Self::Same
    }
}

/// What the manifests change.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) external_secrets: BTreeMap<ObjectKey, Change>,
    pub(crate) push_secrets: BTreeMap<ObjectKey, Change>,
    pub(crate) cluster_external_secrets: BTreeMap<String, Change>,
    pub(crate) cluster_push_secrets: BTreeMap<String, Change>,
    pub(crate) stores: BTreeMap<StoreKey, Change>,
}

/// Unique id of an object that does not exist yet.
const NEW: &str = "new";

/// Lays manifests over what is there.
pub(super) fn lay_over(mut given: Objects, live: &Objects) -> (Objects, Applied) {
    let mut applied = Applied::default();
    for (key, object) in &mut given.external_secrets {
        let held = live.external_secrets.get(key);
        let change = laid(
            (&mut object.metadata, &mut object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Defaults::Known,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied.external_secrets.insert(key.clone(), change);
    }
    for (key, object) in &mut given.push_secrets {
        let held = live.push_secrets.get(key);
        let change = laid(
            (&mut object.metadata, &mut object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Defaults::Known,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied.push_secrets.insert(key.clone(), change);
    }
    for (name, object) in &mut given.cluster_external_secrets {
        let held = live.cluster_external_secrets.get(name);
        let change = laid(
            (&mut object.metadata, &mut object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Defaults::Known,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied
            .cluster_external_secrets
            .insert(name.clone(), change);
    }
    for (name, object) in &mut given.cluster_push_secrets {
        let held = live.cluster_push_secrets.get(name);
        let change = laid(
            (&mut object.metadata, &mut object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Defaults::Known,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied.cluster_push_secrets.insert(name.clone(), change);
    }
    for (key, store) in &mut given.stores {
        let change = laid_store(store, live.stores.get(key));
        applied.stores.insert(key.clone(), change);
    }
    (given, applied)
}

fn laid_store(store: &mut StoreRecord, held: Option<&StoreRecord>) -> Change {
    let change = laid(
        (&mut store.metadata, &mut store.spec),
        held.map(|held| (&held.metadata, &held.spec)),
        Defaults::OfProviders,
    );
    if let Some(held) = held.filter(|_| change == Change::Same) {
        // Its check still counts.
        store.status = held.status.clone();
    }
    store.view = std::sync::Arc::new(StoreView::of(store.object()));
    change
}

/// Which fields of a kind the API server fills in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    /// Known ones.
    Known,
    /// Also those of providers, which are not known here.
    OfProviders,
}

/// Gives an object the spec and metadata it has after it is applied, and says what changes.
fn laid<S: Serialize + DeserializeOwned>(
    (metadata, spec): (&mut ObjectMeta, &mut S),
    held: Option<(&ObjectMeta, &S)>,
    defaults: Defaults,
) -> Change {
    let Some((live, live_spec)) = held else {
        metadata.uid = Some(format!("{NEW}-{}", metadata.name.as_deref().unwrap_or("")));
        metadata.generation = Some(1);
        return Change::New;
    };
    let owners = Owners::of(live);
    let json = |spec: &S| serde_json::to_value(spec).unwrap_or(Value::Null);
    let (before, given) = (json(live_spec), json(spec));
    let after = merged(&before, &given, owners.below("spec"));
    let rule = match defaults {
        Defaults::OfProviders if !owners.is_exact => Rule::NoScalarRemovals,
        _ => Rule::Removals,
    };
    let mut paths = changed("spec", &before, &after, rule);
    if let Ok(after) = serde_json::from_value(after) {
        *spec = after;
    }
    let generation = live.generation.unwrap_or_default() + i64::from(!paths.is_empty());
    let mut texts = |field: &str, live: Option<&Texts>, given: Option<&Texts>| {
        let after = merged_texts(field, live, given, &owners);
        paths.extend(changed_texts(field, live, &after));
        Some(after).filter(|after| !after.is_empty())
    };
    let labels = texts("labels", live.labels.as_ref(), metadata.labels.as_ref());
    let annotations = texts(
        "annotations",
        live.annotations.as_ref(),
        metadata.annotations.as_ref(),
    );
    *metadata = ObjectMeta {
        labels,
        annotations,
        generation: Some(generation),
        managed_fields: None,
        ..live.clone()
    };
    Change::of(paths)
}

/// Paths of labels or annotations that change.
fn changed_texts(field: &str, live: Option<&Texts>, after: &Texts) -> Vec<String> {
    let path = |key: &str| format!("metadata.{field}[{key}]");
    let held = |key: &str| live.and_then(|live| live.get(key));
    let set = after.iter().filter(|(key, text)| held(key) != Some(text));
    let mut paths: Vec<String> = set.map(|(key, _)| path(key)).collect();
    let removed = live.into_iter().flatten();
    let removed = removed.filter(|(key, _)| !after.contains_key(*key));
    paths.extend(removed.map(|(key, _)| format!("{} (removed)", path(key))));
    paths
}

#[cfg(test)]
mod tests;
