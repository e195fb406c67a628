//! Lays manifests over the objects that are there, as an API server would when they are applied: identity,
//! status and generation stay, the spec is the manifest's, labels and annotations are added. Says for each
//! object whether it is new, changed or the same.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::store::{StoreRecord, StoreView};
use serde::Serialize;
use serde_json::Value;

use crate::changed_fields::{Rule, changed};
use crate::objects::{Objects, Texts};

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
            (&mut object.metadata, &object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Rule::Removals,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied.external_secrets.insert(key.clone(), change);
    }
    for (key, object) in &mut given.push_secrets {
        let held = live.push_secrets.get(key);
        let change = laid(
            (&mut object.metadata, &object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Rule::Removals,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied.push_secrets.insert(key.clone(), change);
    }
    for (name, object) in &mut given.cluster_external_secrets {
        let held = live.cluster_external_secrets.get(name);
        let change = laid(
            (&mut object.metadata, &object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Rule::Removals,
        );
        object.status = held.and_then(|held| held.status.clone());
        applied
            .cluster_external_secrets
            .insert(name.clone(), change);
    }
    for (name, object) in &mut given.cluster_push_secrets {
        let held = live.cluster_push_secrets.get(name);
        let change = laid(
            (&mut object.metadata, &object.spec),
            held.map(|held| (&held.metadata, &held.spec)),
            Rule::Removals,
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
        (&mut store.metadata, &store.spec),
        held.map(|held| (&held.metadata, &held.spec)),
        Rule::NoScalarRemovals,
    );
    if let Some(held) = held.filter(|_| change == Change::Same) {
        // Its check still counts.
        store.status = held.status.clone();
    }
    store.view = std::sync::Arc::new(StoreView::of(store.object()));
    change
}

/// Gives an object the metadata it has after it is applied, and says what changes.
fn laid<S: Serialize>(
    (metadata, spec): (&mut ObjectMeta, &S),
    held: Option<(&ObjectMeta, &S)>,
    rule: Rule,
) -> Change {
    let Some((live, live_spec)) = held else {
        metadata.uid = Some(format!("{NEW}-{}", metadata.name.as_deref().unwrap_or("")));
        metadata.generation = Some(1);
        return Change::New;
    };
    let json = |spec: &S| serde_json::to_value(spec).unwrap_or(Value::Null);
    let mut paths = changed("spec", &json(live_spec), &json(spec), rule);
    let generation = live.generation.unwrap_or_default() + i64::from(!paths.is_empty());
    let labels = added(
        "labels",
        live.labels.as_ref(),
        metadata.labels.as_ref(),
        &mut paths,
    );
    let annotations = added(
        "annotations",
        live.annotations.as_ref(),
        metadata.annotations.as_ref(),
        &mut paths,
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

/// Labels or annotations after a manifest is applied, and the paths of those that change.
fn added(
    field: &str,
    live: Option<&Texts>,
    given: Option<&Texts>,
    paths: &mut Vec<String>,
) -> Option<Texts> {
    let mut held = live.cloned().unwrap_or_default();
    for (key, text) in given.into_iter().flatten() {
        if held.get(key) != Some(text) {
            paths.push(format!("metadata.{field}[{key}]"));
            held.insert(key.clone(), text.clone());
        }
    }
    Some(held).filter(|held| !held.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn objects(key: &str, label: &str, uid: Option<&str>) -> Objects {
        let mut objects = Objects::default();
        let object = json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {
                "name": "x", "namespace": "a", "uid": uid, "generation": 4,
                "labels": {"team": label},
            },
            "spec": {"data": [{"secretKey": "a", "remoteRef": {"key": key}}]},
            "status": {"refreshTime": "2026-01-01T00:00:00Z"},
        });
        objects.add(object).unwrap();
        objects
    }

    fn applied(given: Objects, live: &Objects) -> (lockstep_api::ExternalSecret, Change) {
        let key = ObjectKey::new("a", "x");
        let (mut given, mut applied) = lay_over(given, live);
        (
            given.external_secrets.remove(&key).unwrap(),
            applied.external_secrets.remove(&key).unwrap(),
        )
    }

    #[test]
    fn an_object_that_is_not_there_is_new_and_has_no_status() {
        let (object, change) = applied(objects("k", "t", None), &Objects::default());

        assert_eq!(change, Change::New);
        assert_eq!(object.metadata.generation, Some(1));
        assert_eq!(object.status, None);
    }

    #[test]
    fn a_changed_spec_gets_a_new_generation_and_keeps_identity_and_status() {
        let live = objects("k", "t", Some("u"));

        let (object, change) = applied(objects("other", "t", None), &live);

        assert_eq!(
            change,
            Change::Changed(vec!["spec.data[0].remoteRef.key".to_owned()])
        );
        assert_eq!(object.metadata.generation, Some(5));
        assert_eq!(object.metadata.uid.as_deref(), Some("u"));
        assert!(object.status.is_some());
    }

    #[test]
    fn a_changed_label_is_news_without_a_new_generation() {
        let live = objects("k", "t", Some("u"));

        let (object, change) = applied(objects("k", "other", None), &live);

        assert_eq!(
            change,
            Change::Changed(vec!["metadata.labels[team]".to_owned()])
        );
        assert_eq!(object.metadata.generation, Some(4));
    }

    #[test]
    fn the_same_manifest_changes_nothing() {
        let live = objects("k", "t", Some("u"));

        assert_eq!(applied(objects("k", "t", None), &live).1, Change::Same);
    }
}
