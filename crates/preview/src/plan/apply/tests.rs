//! Manifests over objects that are there: what changes, and what the object is then.

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

/// A store with a default of its provider, as somebody applied it without.
fn store(region: &str, role: Option<&str>, fields: Option<serde_json::Value>) -> Objects {
    let mut objects = Objects::default();
    let entry = fields.map(|fields| {
        json!([{
            "manager": "kustomize-controller", "operation": "Apply", "fieldsType": "FieldsV1",
            "apiVersion": "external-secrets.io/v1", "fieldsV1": fields,
        }])
    });
    let object = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "s", "namespace": "a", "managedFields": entry},
        "spec": {"provider": {"aws": {"region": region, "service": "SecretsManager", "role": role}}},
    });
    objects.add(object).unwrap();
    objects
}

fn store_change(given: Objects, live: &Objects) -> Change {
    let (_, applied) = lay_over(given, live);
    applied.stores.into_values().next().unwrap()
}

#[test]
fn a_word_of_a_store_that_was_applied_and_is_gone_from_the_manifest_is_removed() {
    let fields = json!({"f:spec": {"f:provider": {"f:aws": {"f:region": {}, "f:role": {}}}}});
    let live = store("r", Some("admin"), Some(fields));

    assert_eq!(
        store_change(store("r", None, None), &live),
        Change::Changed(vec!["spec.provider.aws.role (removed)".to_owned()])
    );
}

#[test]
fn a_word_of_a_store_that_nobody_applied_is_a_default() {
    let fields = json!({"f:spec": {"f:provider": {"f:aws": {"f:region": {}}}}});

    for fields in [Some(fields), None] {
        let live = store("r", Some("filled-in"), fields);

        assert_eq!(store_change(store("r", None, None), &live), Change::Same);
    }
}

#[test]
fn a_removed_label_is_news_and_gone_from_the_object() {
    let live = objects("k", "t", Some("u"));
    let mut given = objects("k", "t", None);
    for object in given.external_secrets.values_mut() {
        object.metadata.labels = None;
    }

    let (object, change) = applied(given, &live);

    assert_eq!(
        change,
        Change::Changed(vec!["metadata.labels[team] (removed)".to_owned()])
    );
    assert_eq!(object.metadata.labels, None);
    assert_eq!(object.metadata.generation, Some(4));
}
