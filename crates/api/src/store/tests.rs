use serde_json::{Value, json};

use super::*;

fn read(spec: Value) -> SecretStore {
    serde_json::from_value(json!({ "metadata": { "name": "s" }, "spec": spec })).unwrap()
}

#[test]
fn the_interval_is_written_back_as_it_was_read() {
    for interval in [json!(300), json!("5m"), json!("300")] {
        let spec = json!({ "provider": { "fake": {} }, "refreshInterval": interval });

        let store = read(spec.clone());

        assert_eq!(serde_json::to_value(&store.spec).unwrap(), spec);
    }
}

#[test]
fn every_field_survives_a_round_trip() {
    let spec = json!({
        "controller": "dev",
        "provider": { "vault": { "server": "http://v", "auth": { "tokenSecretRef": { "name": "t" } } } },
        "retrySettings": { "maxRetries": 5, "retryInterval": "10s" },
        "conditions": [
            { "namespaceSelector": { "matchLabels": { "a": "b" } } },
            { "namespaceSelector": {} },
            { "namespaces": ["x"], "namespaceRegexes": ["^y"] },
        ],
    });

    let store = read(spec.clone());

    assert_eq!(serde_json::to_value(&store.spec).unwrap(), spec);
}

#[test]
fn one_provider_is_found_by_its_key() {
    let store = read(json!({ "provider": { "fake": { "data": [] } } }));

    assert_eq!(
        store.spec.provider.only(),
        Ok(("fake", &json!({ "data": [] })))
    );
}

#[test]
fn no_or_several_providers_are_an_error_with_their_number() {
    let none = read(json!({})).spec.provider.only().unwrap_err();
    let two = read(json!({ "provider": { "fake": {}, "vault": {} } }));

    assert_eq!(
        none.to_string(),
        "secret stores must only have exactly one backend specified, found 0"
    );
    assert_eq!(
        two.spec.provider.only(),
        Err(ProviderCountError { found: 2 })
    );
}

#[test]
fn a_provider_set_to_null_does_not_count() {
    let store = read(json!({ "provider": { "fake": {}, "vault": null } }));

    assert_eq!(store.spec.provider.only(), Ok(("fake", &json!({}))));
}

#[test]
fn debug_output_of_a_store_hides_provider_settings() {
    let store =
        read(json!({ "provider": { "fake": { "data": [{ "key": "k", "value": "canary" }] } } }));

    let text = format!("{store:?}");

    assert!(text.contains("fake") && !text.contains("canary"), "{text}");
}

#[test]
fn capabilities_this_build_does_not_know_are_kept() {
    let status: SecretStoreStatus =
        serde_json::from_value(json!({ "capabilities": "Everything" })).unwrap();

    assert_eq!(
        serde_json::to_value(&status).unwrap(),
        json!({ "capabilities": "Everything" })
    );
}
