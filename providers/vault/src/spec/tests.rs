use lockstep_provider_api::prelude::*;
use serde_json::json;

use super::{VaultSpec, Version};

fn read(spec: serde_json::Value) -> VaultSpec {
    serde_json::from_value(spec).unwrap()
}

fn refused(spec: serde_json::Value) -> String {
    let scope = Scope::Namespaced {
        namespace: "team".to_owned(),
    };
    read(spec).validate(&scope).unwrap_err().to_string()
}

#[test]
fn the_engine_has_versions_unless_the_manifest_says_otherwise() {
    let spec = read(json!({ "server": "http://v" }));

    assert_eq!(spec.version, Version::V2);
    assert_eq!(spec.mount(), None);
    assert!(!spec.needs_check_and_set());
}

#[test]
fn what_admission_refuses_is_refused_in_its_words() {
    let half =
        refused(json!({ "server": "http://v", "tls": { "certSecretRef": { "name": "c" } } }));
    let foreign = refused(json!({
        "server": "http://v",
        "auth": { "tokenSecretRef": { "name": "t", "namespace": "other" } },
    }));
    let role = refused(json!({
        "server": "http://v",
        "auth": { "appRole": { "path": "approle", "secretRef": { "name": "s" } } },
    }));
    let check = refused(json!({
        "server": "http://v", "version": "v1", "checkAndSet": { "required": true },
    }));

    assert!(half.starts_with("when provided, both ClientTLS.ClientCert"));
    assert!(foreign.starts_with("invalid Auth.TokenSecretRef: namespace should"));
    assert!(role.contains("neither `roleId` nor `roleRef`"));
    assert_eq!(
        check,
        "checkAndSet is not supported with Vault KV version v1"
    );
}

#[test]
fn a_second_method_is_warned_about() {
    let spec = read(json!({ "server": "http://v", "auth": {
        "tokenSecretRef": { "name": "t" },
        "jwt": { "path": "jwt", "secretRef": { "name": "s" } },
    } }));

    let warnings = spec.validate(&Scope::Cluster { caller: None }).unwrap();

    assert_eq!(
        warnings,
        ["auth names 2 methods; only tokenSecretRef is used"]
    );
}
