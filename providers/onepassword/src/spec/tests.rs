use lockstep_provider_api::Entry;
use serde_json::{Value, json};

use super::*;
use crate::Onepassword;

fn spec(token: &Value, vaults: &Value, host: &str) -> Value {
    json!({
        "auth": { "secretRef": { "connectTokenSecretRef": token } },
        "connectHost": host,
        "vaults": vaults,
    })
}

fn namespaced() -> Scope {
    Scope::Namespaced {
        namespace: "team".to_owned(),
    }
}

#[test]
fn faults_are_named_as_upstream_names_them() {
    let token = json!({ "name": "t", "key": "k" });
    let team = json!({ "team": 1 });
    let host = "https://connect.test";
    let foreign = "namespace should either be empty or match the namespace of the SecretStore \
                   for a namespaced SecretStore";
    let cluster = Scope::Cluster { caller: None };
    let table = [
        (
            spec(&json!({ "key": "k" }), &team, host),
            namespaced(),
            "missing: spec.provider.onepassword.auth.secretRef.connectTokenSecretRef.name",
        ),
        (
            spec(&json!({ "name": "t" }), &team, host),
            namespaced(),
            "missing: spec.provider.onepassword.auth.secretRef.connectTokenSecretRef.key",
        ),
        (
            spec(
                &json!({ "name": "t", "key": "k", "namespace": "x" }),
                &team,
                host,
            ),
            namespaced(),
            foreign,
        ),
        (
            spec(&token, &team, host),
            cluster,
            "cluster scope requires namespace",
        ),
        (
            spec(&token, &json!({}), host),
            namespaced(),
            "must be at least one vault: spec.provider.onepassword.vaults",
        ),
        (
            spec(&token, &json!({ "a": 1, "b": 1 }), host),
            namespaced(),
            "vault order numbers must be unique",
        ),
        (
            spec(&token, &team, "https://a b"),
            namespaced(),
            "unable to parse URL: spec.provider.onepassword.connectHost: invalid uri character",
        ),
    ];

    for (spec, scope, text) in table {
        let error = Entry::of::<Onepassword>()
            .validate(&spec, &scope)
            .unwrap_err();

        assert_eq!(
            error.to_string(),
            format!("received invalid 1Password SecretStore resource: {text}")
        );
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }
}
