//! Reading of the envelope and of specs inside it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    kms_key_id: String,
    tags: BTreeMap<String, String>,
    replicas: Vec<Replica>,
    recovery_window: Option<i64>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Replica {
    region_name: String,
}

fn envelope(spec: serde_json::Value) -> serde_json::Value {
    json!({ "apiVersion": API_VERSION, "kind": KIND, "spec": spec })
}

#[test]
fn no_metadata_is_no_spec_and_no_spec_is_the_default_one() {
    let bare = json!({ "apiVersion": API_VERSION, "kind": KIND });

    assert_eq!(parse::<Spec>(None).unwrap(), None);
    assert_eq!(parse(Some(&bare)).unwrap(), Some(Spec::default()));
}

#[test]
fn fields_match_whatever_their_case_at_every_level() {
    let raw = json!({
        "APIVERSION": API_VERSION, "Kind": KIND,
        "spec": { "kmsKeyID": "k", "replicas": [{ "RegionName": "eu" }], "recoverywindow": 7 }
    });

    let spec = parse::<Spec>(Some(&raw)).unwrap().unwrap();

    assert_eq!(spec.kms_key_id, "k");
    assert_eq!(spec.replicas[0].region_name, "eu");
    assert_eq!(spec.recovery_window, Some(7));
}

#[test]
fn keys_of_maps_keep_their_case() {
    let spec = parse::<Spec>(Some(&envelope(json!({ "tags": { "Team": "A" } }))));

    assert_eq!(spec.unwrap().unwrap().tags["Team"], "A");
}

#[test]
fn numbers_and_booleans_become_texts_where_texts_are_wanted() {
    let tags = json!({
        "a": 1234, "b": true, "c": 0.1, "d": 16_777_217.5, "e": 12_345_678_901_234_567_890_u64, "f": null
    });
    let spec = envelope(json!({ "kmsKeyId": -5, "tags": tags, "replicas": [{ "regionName": 1 }] }));

    let spec = parse::<Spec>(Some(&spec)).unwrap().unwrap();

    assert_eq!(spec.kms_key_id, "-5");
    let tags: Vec<&str> = spec.tags.values().map(String::as_str).collect();
    let wanted = [
        "1234",
        "true",
        "0.1",
        "1.6777218e+07",
        "12345678901234567890",
        "",
    ];
    assert_eq!(tags, wanted);
    assert_eq!(spec.replicas[0].region_name, "1");
    assert!(parse::<Spec>(Some(&envelope(json!({ "kmsKeyId": [] })))).is_err());
    assert!(parse::<Spec>(Some(&envelope(json!([])))).is_err());
    assert!(parse::<Spec>(Some(&envelope(json!({ "recoveryWindow": "7" })))).is_err());
}

#[test]
fn null_leaves_a_field_as_it_is() {
    let spec = parse::<Spec>(Some(&envelope(json!({ "kmsKeyId": null }))));

    assert_eq!(spec.unwrap(), Some(Spec::default()));
}

#[test]
fn an_unknown_field_is_named_at_every_level() {
    let top = parse::<Spec>(Some(&envelope(json!({ "kmsKey": "k" })))).unwrap_err();
    let nested = parse::<Spec>(Some(&envelope(json!({ "replicas": [{ "zone": "a" }] }))));

    assert_eq!(
        top.to_string(),
        "failed to parse kubernetes.external-secrets.io/v1alpha1 PushSecretMetadata: \
         error unmarshaling JSON: while decoding JSON: json: unknown field \"kmsKey\""
    );
    assert!(
        nested
            .unwrap_err()
            .to_string()
            .ends_with("unknown field \"zone\"")
    );
}

#[test]
fn a_foreign_envelope_is_refused_with_what_was_expected() {
    let version = json!({ "apiVersion": "v2", "kind": KIND });
    let kind = json!({ "apiVersion": API_VERSION, "kind": "Other" });

    assert_eq!(
        parse::<Spec>(Some(&version)).unwrap_err().to_string(),
        "unexpected apiVersion \"v2\", expected \"kubernetes.external-secrets.io/v1alpha1\""
    );
    assert_eq!(
        parse::<Spec>(Some(&kind)).unwrap_err().to_string(),
        "unexpected kind \"Other\", expected \"PushSecretMetadata\""
    );
    assert!(parse::<Spec>(Some(&json!("text"))).is_err());
}
