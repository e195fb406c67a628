use serde_json::{Value, json};

use super::*;

fn full() -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": { "name": "db", "namespace": "shop" },
        "spec": {
            "secretStoreRef": { "name": "vault", "kind": "ClusterSecretStore" },
            "refreshPolicy": "Periodic",
            "refreshInterval": "15m",
            "syncWindows": { "kind": "deny", "windows": [{ "schedule": "0 8 * * 1-5", "duration": "8h" }] },
            "target": {
                "name": "db-credentials",
                "creationPolicy": "Owner",
                "deletionPolicy": "Delete",
                "immutable": false,
                "manifest": { "apiVersion": "v1", "kind": "ConfigMap" },
                "template": {
                    "type": "Opaque",
                    "engineVersion": "v2",
                    "mergePolicy": "Merge",
                    "metadata": { "labels": { "a": "b" }, "annotations": { "c": "d" }, "finalizers": ["x/y"] },
                    "data": { "url": "postgres://{{ .user }}" },
                    "templateFrom": [
                        { "configMap": { "name": "t", "items": [{ "key": "k", "templateAs": "KeysAndValues" }] } },
                        { "secret": { "name": "t", "items": [{ "key": "k" }] }, "target": "Labels" },
                        { "literal": "a: b", "valuesDecodingStrategy": "Base64" },
                    ],
                },
            },
            "data": [{
                "secretKey": "password",
                "remoteRef": {
                    "key": "kv/db", "property": "password", "version": "3", "metadataPolicy": "Fetch",
                    "conversionStrategy": "Unicode", "decodingStrategy": "Base64URL", "nullBytePolicy": "Fail",
                },
                "sourceRef": { "storeRef": { "name": "other" } },
            }],
            "dataFrom": [
                { "extract": { "key": "kv/all" }, "rewrite": [
                    { "regexp": { "source": "a", "target": "b" } },
                    { "transform": { "template": "{{ .value }}" } },
                    { "merge": { "into": "all", "priority": ["x"], "priorityPolicy": "IgnoreNotFound",
                                 "conflictPolicy": "Ignore", "strategy": "JSON" } },
                ] },
                { "find": { "path": "p", "name": { "regexp": ".*" }, "tags": { "t": "v" } } },
                { "sourceRef": { "generatorRef": { "kind": "Password", "name": "pw" } } },
            ],
        },
        "status": {
            "observedGeneration": 2,
            "refreshTime": "2026-11-15T10:00:00Z",
            "syncedResourceVersion": "2-abc",
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "SecretSynced", "message": "secret synced",
                "lastTransitionTime": "2026-11-15T10:00:00Z",
            }],
            "binding": { "name": "db-credentials" },
        },
    })
}

#[test]
fn every_field_survives_a_round_trip() {
    let object: ExternalSecret = serde_json::from_value(full()).unwrap();

    assert_eq!(serde_json::to_value(&object).unwrap(), full());
}

#[test]
fn nothing_is_added_to_a_minimal_object() {
    let minimal = json!({
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": { "name": "db" },
        "spec": { "data": [{ "secretKey": "a", "remoteRef": { "key": "k" } }] },
    });

    let object: ExternalSecret = serde_json::from_value(minimal.clone()).unwrap();

    assert_eq!(serde_json::to_value(&object).unwrap(), minimal);
}

#[test]
fn words_and_fields_from_the_future_do_not_stop_reading() {
    let mut newer = full();
    newer["spec"]["target"]["creationPolicy"] = json!("Adopt");
    newer["spec"]["data"][0]["remoteRef"]["decodingStrategy"] = json!("Base32");
    newer["spec"]["mood"] = json!({ "is": "good" });

    let object: ExternalSecret = serde_json::from_value(newer).unwrap();

    assert_eq!(
        object.spec.creation_policy(),
        &CreationPolicy::Unknown("Adopt".into())
    );
    assert_eq!(
        serde_json::to_value(&object).unwrap()["spec"]["data"][0]["remoteRef"]["decodingStrategy"],
        "Base32"
    );
}

#[test]
fn an_object_without_spec_can_be_read() {
    let object: ExternalSecret =
        serde_json::from_value(json!({ "metadata": { "name": "db" } })).unwrap();

    assert_eq!(object.spec, ExternalSecretSpec::default());
}

#[test]
fn a_null_refresh_time_counts_as_none() {
    let status: ExternalSecretStatus =
        serde_json::from_value(json!({ "refreshTime": null })).unwrap();

    assert_eq!(status.refresh_time, None);
}

#[test]
fn absent_policies_have_their_documented_meaning() {
    let spec = ExternalSecretSpec::default();

    assert_eq!(spec.creation_policy(), &CreationPolicy::Owner);
    assert_eq!(spec.deletion_policy(), &DeletionPolicy::Retain);
    assert_eq!(spec.refresh_policy(), &RefreshPolicy::Periodic);
    assert_eq!(StoreRef::default().kind(), &StoreKind::SecretStore);
}

#[test]
fn the_target_is_named_after_the_object_unless_it_has_a_name() {
    let mut object = ExternalSecret::new("db", ExternalSecretSpec::default());
    assert_eq!(object.target_name(), "db");

    object.spec.target = Some(Target {
        name: Some("other".into()),
        ..Target::default()
    });
    assert_eq!(object.target_name(), "other");
}

#[test]
fn a_spec_stays_small_in_memory() {
    assert!(
        size_of::<ExternalSecretSpec>() <= 256,
        "{}",
        size_of::<ExternalSecretSpec>()
    );
    assert!(size_of::<DataEntry>() <= 200, "{}", size_of::<DataEntry>());
}
