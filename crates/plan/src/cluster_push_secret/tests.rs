//! What a ClusterPushSecret does otherwise than a ClusterExternalSecret.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use lockstep_api::{ClusterPushSecret, PushSecret, PushSecretSpec};
use serde_json::json;

use crate::fan_out::*;
use crate::settings::Settings;

fn object() -> ClusterPushSecret {
    serde_json::from_value(json!({
        "apiVersion": "external-secrets.io/v1alpha1",
        "kind": "ClusterPushSecret",
        "metadata": {
            "name": "all", "uid": "u", "generation": 3,
            "annotations": {"external-secrets.io/force-sync": "1"},
        },
        "spec": {
            "pushSecretSpec": {"selector": {"secret": {"name": "src"}}},
            "pushSecretMetadata": {"labels": {"l": "1"}},
            "namespaceSelectors": [{"matchLabels": {"team": "a"}}],
        },
    }))
    .unwrap()
}

/// One wanted namespace `n`.
fn observed(object: &ClusterPushSecret) -> Observed<ClusterPushSecret> {
    Observed {
        object: std::sync::Arc::new(object.clone()),
        wanted: Ok(BTreeMap::from([("n".to_owned(), ObjectMeta::default())])),
        marked: BTreeMap::new(),
        existing: BTreeMap::new(),
        owned: Vec::new(),
    }
}

fn kept(observed: &Observed<ClusterPushSecret>) -> Work<PushSecret> {
    match decide(observed) {
        Decision::Keep(work) => work,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_child_is_made_without_a_finalizer_anywhere() {
    let object = object();

    let work = kept(&observed(&object));

    let [Step::Create(child)] = &work["n"].steps[..] else {
        panic!("{work:?}");
    };
    assert_eq!(child.metadata.name.as_deref(), Some("all"));
    assert_eq!(
        child.metadata.annotations, None,
        "force-sync is not passed on"
    );
    let owner = &child.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!(owner.api_version, "external-secrets.io/v1alpha1");
    assert_eq!(
        controls::<ClusterPushSecret>(&child.metadata).as_deref(),
        Some("all")
    );
}

#[test]
fn an_unchanged_child_is_left_alone() {
    let object = object();
    let mut seen = observed(&object);
    seen.existing
        .insert("n".to_owned(), child(&object, "n", None));

    assert_eq!(kept(&seen)["n"].steps, []);
}

#[test]
fn a_foreign_push_secret_of_that_name_stays() {
    let object = object();
    let mut seen = observed(&object);
    seen.existing.insert(
        "n".to_owned(),
        PushSecret::new("all", PushSecretSpec::default()),
    );

    let refused = Step::Refuse("push secret already exists in namespace".to_owned());
    assert_eq!(kept(&seen)["n"].steps, [refused]);
}

#[test]
fn children_of_an_old_name_and_of_namespaces_that_are_not_wanted_go() {
    let object = object();
    let mut seen = observed(&object);
    let owned = |namespace: &str, name: &str| OwnedChild {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        uid: String::new(),
    };
    seen.owned = vec![owned("n", "old"), owned("other", "all")];

    let work = kept(&seen);

    assert_eq!(work["n"].steps[0], Step::Delete(owned("n", "old")));
    assert_eq!(work["other"].steps, [Step::Delete(owned("other", "all"))]);
}

#[test]
fn an_object_that_is_deleted_is_left_to_the_garbage_collector() {
    let mut object = object();
    object.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));

    assert_eq!(decide(&observed(&object)), Decision::Gone);
}

#[test]
fn a_terminating_namespace_is_passed_over() {
    let object = object();
    let mut seen = observed(&object);
    let leaving = ObjectMeta {
        deletion_timestamp: Some(Time(Timestamp::UNIX_EPOCH)),
        ..ObjectMeta::default()
    };
    seen.wanted = Ok(BTreeMap::from([("n".to_owned(), leaving)]));

    assert!(kept(&seen).is_empty());
}

#[test]
fn the_status_names_children_namespaces_and_failures() {
    let object = object();
    let failed = TaskOutcome::Failed(Trouble::Refused("taken".to_owned()));
    let outcomes = BTreeMap::from([
        ("a".to_owned(), TaskOutcome::Kept),
        ("b".to_owned(), failed),
    ]);

    let said = report(
        &object,
        outcomes,
        &Settings::default(),
        Timestamp::UNIX_EPOCH,
    );

    let status = serde_json::to_value(said.status.unwrap()).unwrap();
    assert_eq!(
        status,
        json!({
            "observedGeneration": 3,
            "pushSecretName": "all",
            "provisionedNamespaces": ["a"],
            "failedNamespaces": [{"namespace": "b", "reason": "taken"}],
            "conditions": [{
                "type": "Ready", "status": "False", "message": "one or more namespaces failed",
            }],
        })
    );
}

#[test]
fn a_selector_that_cannot_be_read_is_told_with_a_reason() {
    let said = refused(&object(), "bad".to_owned(), &Settings::default());

    let condition = &said.status.unwrap().conditions[0];
    assert_eq!(condition.reason.as_deref(), Some("Errored"));
    assert_eq!(
        condition.message.as_deref(),
        Some("failed to get target Namespaces")
    );
}

#[test]
fn a_status_that_says_the_same_is_not_written() {
    let mut object = object();
    let first = report(
        &object,
        BTreeMap::new(),
        &Settings::default(),
        Timestamp::UNIX_EPOCH,
    );
    object.status = first.status;

    let second = report(
        &object,
        BTreeMap::new(),
        &Settings::default(),
        Timestamp::UNIX_EPOCH,
    );

    assert!(second.status.is_none());
}

#[test]
fn a_child_has_intervals_and_defaults_as_upstream_writes_them() {
    let mut object = object();
    object.spec.push_secret_spec = serde_json::from_value(json!({
        "refreshInterval": "1h",
        "selector": {"secret": {"name": "src"}},
        "data": [{"match": {"secretKey": "a", "remoteRef": {"remoteKey": "r"}}}],
    }))
    .unwrap();

    let made = child(&object, "n", None);

    assert_eq!(made.spec.refresh_interval.as_deref(), Some("1h0m0s"));
    let entry = serde_json::to_value(&made.spec.data[0]).unwrap();
    assert_eq!(entry["conversionStrategy"], "None");
}
