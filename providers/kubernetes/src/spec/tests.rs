use lockstep_api_server::NO_CA_WARNING;
use lockstep_provider_api::Entry;
use lockstep_provider_api::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Kubernetes;

fn namespaced() -> Scope {
    Scope::Namespaced {
        namespace: "team".to_owned(),
    }
}

fn cluster() -> Scope {
    Scope::Cluster { caller: None }
}

fn validate(spec: Value, scope: &Scope) -> Result<Warnings> {
    Entry::of::<Kubernetes>().validate(&spec, scope)
}

#[test]
fn url_and_namespace_have_defaults() {
    let spec: KubernetesSpec = serde_json::from_value(json!({ "server": {} })).unwrap();

    assert_eq!(spec.remote_namespace, "default");
    assert_eq!(spec.server.unwrap().url, "kubernetes.default");
}

#[test]
fn a_store_without_an_authority_is_warned_about() {
    let auth = json!({ "serviceAccount": { "name": "reader" } });
    let ca = json!({ "type": "ConfigMap", "name": "ca", "key": "ca.crt" });
    let silent = [
        json!({ "authRef": { "name": "kc", "key": "config" } }),
        json!({ "server": { "caProvider": ca }, "auth": auth }),
        json!({ "server": { "caBundle": "eA==" }, "auth": auth }),
    ];

    let warnings = validate(json!({ "server": {}, "auth": auth }), &namespaced()).unwrap();

    assert_eq!(warnings, [NO_CA_WARNING]);
    for spec in silent {
        assert!(validate(spec, &namespaced()).unwrap().is_empty());
    }
}

#[test]
fn faults_are_named_as_upstream_names_them() {
    let selector = json!({ "name": "s", "key": "k", "namespace": "other" });
    let token = |selector: Value| json!({ "auth": { "token": { "bearerToken": selector } } });
    let cert = |selector: Value| {
        let key = json!({ "name": "s", "key": "k" });
        json!({ "auth": { "cert": { "clientCert": selector, "clientKey": key } } })
    };
    let ca = |namespace: Option<&str>| {
        let ca = json!({ "type": "Secret", "name": "ca", "namespace": namespace });
        json!({ "server": { "caProvider": ca } })
    };
    let account = json!({ "auth": { "serviceAccount": { "name": "r", "namespace": "other" } } });
    let foreign = "namespace should either be empty or match the namespace of the SecretStore \
                   for a namespaced SecretStore";
    let required = "cluster scope requires namespace";
    let table = [
        (
            token(json!({ "key": "k" })),
            namespaced(),
            "BearerToken.Name cannot be empty",
        ),
        (
            token(json!({ "name": "s" })),
            namespaced(),
            "BearerToken.Key cannot be empty",
        ),
        (token(selector.clone()), namespaced(), foreign),
        (
            token(json!({ "name": "s", "key": "k" })),
            cluster(),
            required,
        ),
        (
            cert(json!({ "key": "k" })),
            namespaced(),
            "ClientCert.Name cannot be empty",
        ),
        (
            cert(json!({ "name": "s" })),
            namespaced(),
            "ClientCert.Key cannot be empty",
        ),
        (cert(selector), namespaced(), foreign),
        (
            cert(json!({ "name": "s", "key": "k" })),
            cluster(),
            required,
        ),
        (account, namespaced(), foreign),
        (
            ca(None),
            cluster(),
            "CAProvider.namespace must not be empty with ClusterSecretStore",
        ),
        (
            ca(Some("team")),
            namespaced(),
            "CAProvider.namespace must be empty with SecretStore",
        ),
    ];

    for (spec, scope, text) in table {
        let error = validate(spec, &scope).unwrap_err();

        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }
}

#[test]
fn a_cluster_store_may_leave_the_namespace_of_its_service_account_to_the_caller() {
    let spec = json!({ "auth": { "serviceAccount": { "name": "reader" } } });

    assert!(validate(spec, &cluster()).is_ok());
}

#[test]
fn a_field_of_the_wrong_type_is_named() {
    let error = validate(json!({ "remoteNamespace": 7 }), &namespaced()).unwrap_err();

    assert!(error.to_string().starts_with("spec.provider.kubernetes: "));
}
