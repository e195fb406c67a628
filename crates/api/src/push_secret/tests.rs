use serde_json::json;

use super::*;

#[test]
fn every_field_survives_a_round_trip() {
    let object = json!({
        "apiVersion": "external-secrets.io/v1alpha1",
        "kind": "PushSecret",
        "metadata": { "name": "p" },
        "spec": {
            "refreshInterval": "1h",
            "secretStoreRefs": [
                { "name": "s", "kind": "ClusterSecretStore" },
                { "labelSelector": { "matchLabels": { "a": "b" } } },
            ],
            "updatePolicy": "IfNotExists",
            "deletionPolicy": "Delete",
            "selector": { "secret": { "name": "x" } },
            "data": [{
                "match": { "secretKey": "k", "remoteRef": { "remoteKey": "r", "property": "p" } },
                "metadata": { "any": ["thing", 1] },
                "conversionStrategy": "ReverseUnicode",
            }],
            "dataTo": [{
                "storeRef": { "name": "s" },
                "match": { "regexp": "^a" },
                "rewrite": [{ "regexp": { "source": "a", "target": "b" } }],
                "metadata": "text",
            }],
            "template": { "data": { "k": "{{ .v }}" } },
        },
        "status": {
            "observedGeneration": 1,
            "syncedPushSecrets": {
                "ClusterSecretStore/s": { "r/p": { "match": { "remoteRef": { "remoteKey": "r" } } } },
            },
        },
    });

    let read: PushSecret = serde_json::from_value(object.clone()).unwrap();

    assert_eq!(serde_json::to_value(&read).unwrap(), object);
}

#[test]
fn absent_policies_have_their_documented_meaning() {
    let spec = PushSecretSpec::default();

    assert_eq!(spec.update_policy(), &PushUpdatePolicy::Replace);
    assert_eq!(spec.deletion_policy(), &PushDeletionPolicy::None);
    assert_eq!(PushStoreRef::default().kind(), &StoreKind::SecretStore);
}

#[test]
fn an_object_without_spec_can_be_read() {
    let read: PushSecret = serde_json::from_value(json!({ "metadata": {} })).unwrap();

    assert_eq!(read.spec.selector, None);
}
