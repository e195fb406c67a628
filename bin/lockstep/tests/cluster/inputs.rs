//! What an object reads from is followed when it changes, long before the next refresh.

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

fn value(room: &Room, wanted: &str) {
    until("the new value", || {
        let value = room.secret("es").map(|secret| secret["data"]["a"].clone());
        if value == Some(json!(wanted)) {
            Ok(value)
        } else {
            Err(value)
        }
    });
}

fn ready(room: &Room, wanted: &str) {
    until(wanted, || {
        let conditions = room.external_secret("es")["status"]["conditions"].clone();
        let is = conditions[0]["status"] == wanted;
        if is { Ok(conditions) } else { Err(conditions) }
    });
}

#[test]
fn an_edited_generator_is_followed_at_once() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    let generator = |value: &str| {
        json!({"apiVersion": "generators.external-secrets.io/v1alpha1", "kind": "Fake",
            "metadata": {"name": "gen"}, "spec": {"data": {"a": value}}})
    };
    room.apply(&generator("one"));
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "refreshInterval": "1h",
            "dataFrom": [{"sourceRef": {"generatorRef": {
                "apiVersion": "generators.external-secrets.io/v1alpha1", "kind": "Fake",
                "name": "gen",
            }}}],
        },
    }));
    value(&room, "b25l");

    room.apply(&generator("two"));

    value(&room, "dHdv");
}

/// A ServiceAccount of the room with or without leave to read Secrets, and a token of it.
fn token(room: &Room, name: &str, may_read: bool) -> String {
    room.apply(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}));
    let verbs: &[&str] = if may_read {
        &["get", "list", "watch"]
    } else {
        &[]
    };
    let group = "rbac.authorization.k8s.io";
    if may_read {
        room.apply(&json!({
            "apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": {"name": name},
            "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": verbs}],
        }));
        room.apply(&json!({
            "apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": room.namespace}],
        }));
    }
    let path = format!(
        "/api/v1/namespaces/{}/serviceaccounts/{name}/token",
        room.namespace
    );
    let body =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let made: Value = room.api.post(&path, &body).unwrap();
    made["status"]["token"].as_str().unwrap().to_owned()
}

#[test]
fn a_replaced_credential_is_used_at_once() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    let (good, poor) = (token(&room, "good", true), token(&room, "poor", false));
    let access = Access::read(&cluster.admin_kubeconfig()).unwrap();
    let login = |token: &str| {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"},
            "stringData": {"token": token, "ca": access.ca}})
    };
    room.apply(&login(&good));
    room.apply(
        &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "remote"},
        "data": {"k": "dg=="}}),
    );
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "store"},
        "spec": {"provider": {"kubernetes": {
            "remoteNamespace": room.namespace,
            "server": {"url": access.server,
                "caProvider": {"type": "Secret", "name": "login", "key": "ca"}},
            "auth": {"token": {"bearerToken": {"name": "login", "key": "token"}}},
        }}},
    }));
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "refreshInterval": "1h", "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "remote", "property": "k"}}],
        },
    }));
    ready(&room, "True");

    room.apply(&login(&poor));
    ready(&room, "False");
    room.apply(&login(&good));
    ready(&room, "True");
}
