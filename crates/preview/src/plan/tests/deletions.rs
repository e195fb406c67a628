//! Plans in which remote secrets vanished: what the operator's deletion guard would hold.

use std::fmt::Write;

use super::*;

/// A store that has lost its secrets but for the key `kept`.
const LOST: &str = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: store, namespace: team}
spec: {provider: {fake: {data: [{key: kept, value: canary-2}]}}}
";

/// So many synced objects of the store, each with its Secret; those of `kept` read a key that is still there.
fn synced(count: usize, kept: usize) -> String {
    let mut text = STORE.to_owned();
    for number in 0..count {
        let key = if number < kept { "kept" } else { "k" };
        let created_by = object_hash_text(&format!("team/es-{number}"));
        let _ = write!(
            text,
            "---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {{name: es-{number}, namespace: team, uid: u-{number}, generation: 1}}
spec:
  secretStoreRef: {{name: store}}
  target: {{deletionPolicy: Delete}}
  data: [{{secretKey: password, remoteRef: {{key: {key}}}}}]
status:
  refreshTime: 2026-01-01T00:00:00Z
  conditions: [{{type: Ready, status: \"True\", reason: SecretSynced, message: secret synced}}]
---
apiVersion: v1
kind: Secret
metadata:
  name: es-{number}
  namespace: team
  uid: s-{number}
  resourceVersion: \"1\"
  labels:
    reconcile.external-secrets.io/managed: \"true\"
    reconcile.external-secrets.io/created-by: {created_by}
  ownerReferences:
  - {{apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: es-{number}, uid: u-{number}, controller: true}}
stringData: {{password: canary-1}}
"
        );
    }
    text
}

#[test]
fn deletions_of_a_store_that_lost_its_secrets_are_held() {
    let report = plan(LOST, &synced(12, 0));

    let text = printed(&report);
    assert!(
        text.contains(
            "! hold SecretStore team/store
    the deletion guard keeps the data of 12 objects, because many secrets vanished at once
    if it is meant, annotate the store: reconcile.external-secrets.io/allow-mass-deletion=true
    held: ExternalSecret team/es-0
"
        ),
        "{text}"
    );
    assert!(!text.contains("- delete Secret"), "{text}");
    assert!(text.contains("12 held by the deletion guard"), "{text}");
    assert_eq!(report.exit(false), Exit::Findings);
    let held = &report.json()["heldDeletions"][0];
    assert_eq!(held["store"], "SecretStore team/store");
    assert_eq!(held["objects"].as_array().map(Vec::len), Some(12));
}

#[test]
fn the_annotation_of_the_store_releases_in_plan_too() {
    let mark = "namespace: team, annotations: \
                {reconcile.external-secrets.io/allow-mass-deletion: \"true\"}";

    let report = plan(&LOST.replace("namespace: team", mark), &synced(12, 0));

    let text = printed(&report);
    assert_eq!(report.count(row::Action::Delete), 12, "{text}");
    assert!(report.held.is_empty(), "{text}");
}

#[test]
fn a_store_of_few_objects_deletes_at_once() {
    let report = plan(LOST, &synced(9, 0));

    let text = printed(&report);
    assert_eq!(report.count(row::Action::Delete), 9, "{text}");
    assert!(report.held.is_empty(), "{text}");
}

#[test]
fn a_fifth_of_a_store_may_go() {
    let report = plan(LOST, &synced(60, 50));

    let text = printed(&report);
    assert_eq!(report.count(row::Action::Delete), 10, "{text}");
    assert!(report.held.is_empty(), "{text}");
}

#[test]
fn one_object_of_the_input_is_held_by_a_look_at_the_others() {
    let there = synced(12, 0).replace(STORE, LOST);
    let changed = "
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: es-3, namespace: team}
spec:
  secretStoreRef: {name: store}
  target: {deletionPolicy: Delete}
  data: [{secretKey: renamed, remoteRef: {key: k}}]
";

    let report = plan(changed, &there);

    let text = printed(&report);
    assert_eq!(report.held_objects(), 1, "{text}");
    assert!(text.contains("held: ExternalSecret team/es-3"), "{text}");
}
