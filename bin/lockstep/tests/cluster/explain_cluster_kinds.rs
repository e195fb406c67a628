//! `lockstep explain` for kinds without a namespace: stores, generators, and those that fan out. Each test
//! has a cluster of its own, because an operator of such kinds serves all of it.

use std::path::Path;

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use serde_json::{Value, json};

use crate::explain::{broken, healthy, report};
use crate::process::{operator, until};

const CANARY: &str = "canary-c3e9";
const V1: &str = "external-secrets.io/v1";
const ALPHA: &str = "external-secrets.io/v1alpha1";
const GENERATORS: &str = "generators.external-secrets.io/v1alpha1";

fn plane() -> ControlPlane {
    let plane = ControlPlane::start(None).unwrap();
    plane.install_crds().unwrap();
    plane
}

fn fake(kind: &str) -> Value {
    json!({
        "apiVersion": V1, "kind": kind, "metadata": {"name": "store"},
        "spec": {"provider": {"fake": {"data": [{"key": "k", "value": CANARY}]}}},
    })
}

fn namespaces(api: &Api, names: &[&str], team: &str) {
    for name in names {
        let object = json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": {"team": team}},
        });
        api.apply(&object).unwrap();
    }
}

/// Waits until an object has a field of its status that satisfies a test.
fn status(api: &Api, path: &str, is: impl Fn(&Value) -> bool) {
    until(path, || {
        let object = api.get(&format!("/apis/{path}")).unwrap();
        let found = is(&object["status"]);
        if found { Ok(object) } else { Err(object) }
    });
}

fn is_ready(wanted: &'static str) -> impl Fn(&Value) -> bool {
    move |status| status["conditions"][0]["status"] == wanted
}

fn explained(kubeconfig: &Path, words: &[&str]) -> (i32, Value) {
    report(kubeconfig, words, &[], &[CANARY])
}

#[test]
fn a_cluster_store_shows_its_identity_and_users_of_every_namespace() {
    let plane = plane();
    let cluster: &Cluster = &plane;
    let (api, kubeconfig) = (cluster.admin().unwrap(), cluster.admin_kubeconfig());
    let _operator = operator(cluster, &[]);
    namespaces(&api, &["a", "b"], "one");
    api.apply(&fake("ClusterSecretStore")).unwrap();
    let token = json!({"name": "token", "key": "token", "namespace": "a"});
    api.apply(&json!({
        "apiVersion": V1, "kind": "ClusterSecretStore", "metadata": {"name": "vault"},
        "spec": {"provider": {"vault": {
            "server": "http://127.0.0.1:1", "path": "kv", "version": "v2",
            "auth": {"tokenSecretRef": token},
        }}},
    }))
    .unwrap();
    for (namespace, key) in [("a", "k"), ("b", "nothing")] {
        let object = json!({
            "apiVersion": V1, "kind": "ExternalSecret", "metadata": {"name": "es"},
            "spec": {
                "secretStoreRef": {"name": "store", "kind": "ClusterSecretStore"},
                "data": [{"secretKey": "a", "remoteRef": {"key": key}}],
            },
        });
        api.apply_in(namespace, &object).unwrap();
    }
    let object = |namespace| format!("{V1}/namespaces/{namespace}/externalsecrets/es");
    status(&api, &object("a"), is_ready("True"));
    status(&api, &object("b"), is_ready("False"));
    status(
        &api,
        &format!("{V1}/clustersecretstores/vault"),
        is_ready("False"),
    );

    let store = explained(&kubeconfig, &["css", "store", "--live"]);
    assert_eq!(healthy(&store, "users"), "2 objects, 1 not ready");
    assert!(healthy(&store, "answer").starts_with("answered just now"));
    let vault = explained(&kubeconfig, &["clustersecretstore", "vault"]);
    assert_eq!(
        vault.1["firstBroken"]["subject"], "a/token",
        "{:#}",
        vault.1
    );
    broken(
        &vault,
        "Secret",
        "does not exist",
        "kubectl -n a create secret generic token",
    );
}

#[test]
fn a_cluster_generator_is_found_with_its_credentials_and_users() {
    let plane = plane();
    let cluster: &Cluster = &plane;
    let (api, kubeconfig) = (cluster.admin().unwrap(), cluster.admin_kubeconfig());
    let _operator = operator(cluster, &[]);
    namespaces(&api, &["a"], "one");
    api.apply(&json!({
        "apiVersion": GENERATORS, "kind": "ClusterGenerator", "metadata": {"name": "made"},
        "spec": {"kind": "Password", "generator": {"passwordSpec": {"length": 16}}},
    }))
    .unwrap();
    let auth = json!({"token": {"secretRef": {"name": "gitlab", "key": "token"}}});
    let token = json!({"url": "http://127.0.0.1:1", "projectID": "1", "name": "n",
        "scopes": ["read_registry"], "auth": auth});
    api.apply(&json!({
        "apiVersion": GENERATORS, "kind": "ClusterGenerator", "metadata": {"name": "deploy"},
        "spec": {"kind": "GitlabDeployToken", "generator": {"gitlabDeployTokenSpec": token}},
    }))
    .unwrap();
    let reference = json!({"apiVersion": GENERATORS, "kind": "ClusterGenerator", "name": "made"});
    let object = json!({
        "apiVersion": V1, "kind": "ExternalSecret", "metadata": {"name": "es"},
        "spec": {"dataFrom": [{"sourceRef": {"generatorRef": reference}}]},
    });
    api.apply_in("a", &object).unwrap();
    status(
        &api,
        &format!("{V1}/namespaces/a/externalsecrets/es"),
        is_ready("True"),
    );

    let made = explained(&kubeconfig, &["clustergenerator", "made"]);
    assert_eq!(healthy(&made, "users"), "1 object");
    let reader = explained(&kubeconfig, &["es", "es", "-n", "a"]);
    assert_eq!(healthy(&reader, "generator"), "exists");
    let deploy = explained(&kubeconfig, &["clustergenerators", "deploy", "-n", "a"]);
    broken(
        &deploy,
        "Secret",
        "does not exist",
        "kubectl -n a create secret generic gitlab",
    );
}

fn fan_out(kind: &str, name: &str, team: &str, key: &str) -> Value {
    let selectors = json!([{"matchLabels": {"team": team}}]);
    let spec = match kind {
        "ClusterPushSecret" => json!({"namespaceSelectors": selectors, "pushSecretSpec": {
            "secretStoreRefs": [{"name": "store", "kind": "ClusterSecretStore"}],
            "selector": {"secret": {"name": key}},
            "data": [{"match": {"secretKey": "a", "remoteRef": {"remoteKey": "there"}}}],
        }}),
        _ => json!({"namespaceSelectors": selectors, "externalSecretSpec": {
            "secretStoreRef": {"name": "store", "kind": "ClusterSecretStore"},
            "data": [{"secretKey": "a", "remoteRef": {"key": key}}],
        }}),
    };
    let version = if kind == "ClusterPushSecret" {
        ALPHA
    } else {
        V1
    };
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec})
}

/// Objects that are fine, fail in one namespace, match no namespace, and have a selector that nobody
/// can read.
fn explained_fan_outs(kind: &str, child: &str, good_key: &str) {
    let plane = plane();
    let cluster: &Cluster = &plane;
    let (api, kubeconfig) = (cluster.admin().unwrap(), cluster.admin_kubeconfig());
    let _operator = operator(cluster, &[]);
    namespaces(&api, &["a", "b"], "one");
    api.apply(&fake("ClusterSecretStore")).unwrap();
    for namespace in ["a", "b"] {
        let source = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "source"},
            "stringData": {"a": CANARY},
        });
        api.apply_in(namespace, &source).unwrap();
    }
    let mut unreadable = fan_out(kind, "unreadable", "one", good_key);
    unreadable["spec"]["namespaceSelectors"] =
        json!([{"matchExpressions": [{"key": "team", "operator": "In", "values": []}]}]);
    for object in [
        fan_out(kind, "fine", "one", good_key),
        fan_out(kind, "failing", "one", "nothing"),
        fan_out(kind, "lonely", "nobody", good_key),
        unreadable,
    ] {
        api.apply(&object).unwrap();
    }
    let version = if child == "PushSecret" { ALPHA } else { V1 };
    let plural = format!("{}s", child.to_lowercase());
    for namespace in ["a", "b"] {
        let of = |name: &str| format!("{version}/namespaces/{namespace}/{plural}/{name}");
        until_made(&api, &of("fine"));
        status(&api, &of("fine"), is_ready("True"));
        until_made(&api, &of("failing"));
        status(&api, &of("failing"), is_ready("False"));
    }
    let of = |name: &str| format!("{version}/{}s/{name}", kind.to_lowercase());
    for name in ["fine", "failing", "lonely"] {
        status(&api, &of(name), |status| !status.is_null());
    }
    status(&api, &of("unreadable"), is_ready("False"));

    let fine = explained(&kubeconfig, &[kind, "fine"]);
    assert_eq!(healthy(&fine, "object"), "2 namespaces filled");
    assert_eq!(healthy(&fine, "made"), "2 objects");
    let failing = explained(&kubeconfig, &[kind, "failing"]);
    let follow = format!("lockstep explain {} failing -n a", child.to_lowercase());
    broken(&failing, child, "", &follow);
    let lonely = explained(&kubeconfig, &[kind, "lonely"]);
    assert_eq!(healthy(&lonely, "object"), "no namespace matches");
    let unreadable = explained(&kubeconfig, &[kind, "unreadable"]);
    broken(
        &unreadable,
        "namespace",
        "namespaceSelectors[0] cannot be read",
        "",
    );
}

fn until_made(api: &Api, path: &str) {
    until(path, || {
        let found = api.find(&format!("/apis/{path}")).unwrap();
        if found.is_some() {
            Ok(found)
        } else {
            Err(found)
        }
    });
}

#[test]
fn a_cluster_external_secret_is_as_healthy_as_what_it_made() {
    explained_fan_outs("ClusterExternalSecret", "ExternalSecret", "k");
}

#[test]
fn a_cluster_push_secret_is_as_healthy_as_what_it_made() {
    explained_fan_outs("ClusterPushSecret", "PushSecret", "source");
}
