use lockstep_provider_api::Entry;
use serde_json::{Value, json};

use super::*;
use crate::Crd;

fn namespaced() -> Scope {
    Scope::Namespaced {
        namespace: "team".to_owned(),
    }
}

fn spec(resource: &Value, rules: &Value) -> Value {
    json!({
        "server": { "caBundle": "eA==" },
        "auth": { "serviceAccount": { "name": "reader" } },
        "resource": resource,
        "whitelist": { "rules": rules },
    })
}

fn widget() -> Value {
    json!({ "group": "acme.com", "version": "v1", "kind": "Widget" })
}

fn refusal(spec: &Value, scope: &Scope) -> String {
    let error = Entry::of::<Crd>().validate(spec, scope).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

#[test]
fn secrets_of_the_core_group_are_refused_in_any_spelling() {
    for (group, kind) in [("", "Secret"), ("core", "secret"), ("", "SECRET")] {
        let resource = json!({ "group": group, "version": "v1", "kind": kind });

        for scope in [namespaced(), namespaced().used()] {
            assert_eq!(
                refusal(&spec(&resource, &json!([])), &scope),
                "kind \"Secret\" is not allowed: use the Kubernetes provider to read Kubernetes \
                 Secrets"
            );
        }
    }
    let other = json!({ "group": "acme.com", "version": "v1", "kind": "Secret" });
    let spec = spec(&other, &json!([]));
    assert!(Entry::of::<Crd>().validate(&spec, &namespaced()).is_ok());
}

#[test]
fn faults_are_named_as_upstream_names_them() {
    let resource =
        |version: &str, kind: &str| json!({ "group": "", "version": version, "kind": kind });
    let none = json!([]);
    let table = [
        (
            json!({ "server": { "url": "https://h" }, "resource": widget() }),
            "server.url requires auth or authRef when set",
        ),
        (
            spec(&resource("", "A"), &none),
            "resource.version is required",
        ),
        (
            spec(&resource("v1", ""), &none),
            "resource.kind is required",
        ),
        (
            spec(&widget(), &json!([{ "name": "a" }, {}])),
            "crd: whitelist.rules[1]: whitelist rule must define name, namespace, or properties",
        ),
        (
            spec(&widget(), &json!([{ "namespace": "a" }])),
            "crd: whitelist.rules[0].namespace is not supported for a SecretStore (it only reads \
             its own namespace); remove it or use a ClusterSecretStore",
        ),
        (
            spec(&widget(), &json!([{ "name": "(" }])),
            "crd: invalid whitelist.rules[0].name regex \"(\": error parsing regexp: missing \
             closing ): `(`",
        ),
        (
            spec(&widget(), &json!([{ "properties": ["a", "["] }])),
            "crd: invalid whitelist.rules[0].properties[1] regex \"[\": error parsing regexp: \
             missing closing ]: `[`",
        ),
    ];

    for (spec, text) in table {
        assert_eq!(refusal(&spec, &namespaced()), text);
    }
}

#[test]
fn a_rule_about_namespaces_is_for_cluster_stores_and_for_stores_in_use() {
    let spec = spec(&widget(), &json!([{ "namespace": "a" }]));
    let cluster = Scope::Cluster { caller: None };

    for scope in [cluster, namespaced().used()] {
        assert!(Entry::of::<Crd>().validate(&spec, &scope).is_ok());
    }
}
