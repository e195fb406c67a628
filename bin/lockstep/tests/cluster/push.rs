//! PushSecrets as a process runs them: a changed source is pushed at once, and what was pushed goes
//! with the object, as soon as it may.

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use serde_json::{Value, json};

use crate::process::{self, Room, operator, until};

const STORES: &str = "/apis/external-secrets.io/v1";
const PUSHES: &str = "/apis/external-secrets.io/v1alpha1";
const ROLES: &str = "rbac.authorization.k8s.io";

/// A store that writes Secrets of the room's own namespace through a ServiceAccount.
pub(crate) fn put_store(room: &Room, cluster: &Cluster) {
    let access = Access::read(&cluster.admin_kubeconfig()).unwrap();
    room.apply(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "w"}}));
    room.apply(&json!({
        "apiVersion": format!("{ROLES}/v1"), "kind": "Role", "metadata": {"name": "w"},
        "rules": [{"apiGroups": [""], "resources": ["secrets"],
            "verbs": ["get", "list", "create", "update", "patch"]}],
    }));
    room.apply(&json!({
        "apiVersion": format!("{ROLES}/v1"), "kind": "RoleBinding", "metadata": {"name": "w"},
        "roleRef": {"apiGroup": ROLES, "kind": "Role", "name": "w"},
        "subjects": [{"kind": "ServiceAccount", "name": "w", "namespace": room.namespace}],
    }));
    room.apply(
        &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "ca"},
        "stringData": {"ca": access.ca}}),
    );
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "store"},
        "spec": {"provider": {"kubernetes": {
            "remoteNamespace": room.namespace,
            "server": {"url": access.server,
                "caProvider": {"type": "Secret", "name": "ca", "key": "ca"}},
            "auth": {"serviceAccount": {"name": "w"}},
        }}},
    }));
}

/// Lets the store's ServiceAccount delete Secrets too.
fn allow_deletion(room: &Room) {
    room.apply(&json!({
        "apiVersion": format!("{ROLES}/v1"), "kind": "Role", "metadata": {"name": "w"},
        "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}],
    }));
}

fn put_source(room: &Room, name: &str, value: &str) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": name, "labels": {"push": "yes"}},
        "stringData": {"a": value},
    }));
}

fn push_secret(selector: &Value, policy: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "ps"},
        "spec": {
            "refreshInterval": "1h", "deletionPolicy": policy,
            "secretStoreRefs": [{"name": "store"}],
            "selector": {"secret": selector},
            "data": [{"match": {"secretKey": "a",
                "remoteRef": {"remoteKey": "pushed", "property": "x"}}}],
        },
    })
}

fn pushed(room: &Room, wanted: &str) {
    until("the pushed value", || {
        let value = room
            .secret("pushed")
            .map(|secret| secret["data"]["x"].clone());
        if value == Some(json!(wanted)) {
            Ok(value)
        } else {
            Err(value)
        }
    });
}

fn object(room: &Room, group: &str, plural: &str, name: &str) -> Option<Value> {
    let path = format!("{group}/namespaces/{}/{plural}/{name}", room.namespace);
    room.api.find(&path).unwrap()
}

#[test]
fn a_changed_source_is_pushed_at_once_and_goes_with_the_object_as_soon_as_it_may() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    put_store(&room, cluster);
    put_source(&room, "src", "one");
    room.apply(&push_secret(&json!({"name": "src"}), "Delete"));
    pushed(&room, "b25l");

    put_source(&room, "src", "two");
    pushed(&room, "dHdv");
    until("the store's finalizer", || {
        let store = object(&room, STORES, "secretstores", "store").unwrap();
        let finalizers = store["metadata"]["finalizers"].clone();
        let is = finalizers[0] == "secretstore.externalsecrets.io/finalizer";
        if is { Ok(finalizers) } else { Err(finalizers) }
    });

    let path = format!("{PUSHES}/namespaces/{}/pushsecrets/ps", room.namespace);
    room.api.delete(&path).unwrap();
    let refused = until("a refused deletion", || {
        let held = object(&room, PUSHES, "pushsecrets", "ps").unwrap();
        let is = held["status"]["conditions"][0]["status"] == "False";
        if is { Ok(held) } else { Err(held) }
    });
    let record = &refused["status"]["syncedPushSecrets"]["SecretStore/store"];
    assert!(record["pushed/x"].is_object(), "{refused}");
    assert!(room.secret("pushed").is_some());

    allow_deletion(&room);
    until("the end of the object", || {
        let left = object(&room, PUSHES, "pushsecrets", "ps");
        if left.is_none() { Ok(left) } else { Err(left) }
    });
    assert_eq!(room.secret("pushed"), None);
    until("the end of the store's finalizer", || {
        let store = object(&room, STORES, "secretstores", "store").unwrap();
        let finalizers = store["metadata"]["finalizers"].clone();
        let is = finalizers.is_null();
        if is { Ok(finalizers) } else { Err(finalizers) }
    });
}

#[test]
fn a_secret_that_gets_the_labels_is_pushed_at_once() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    process::put_store(&room, &[("k", "v")]);
    let selector = json!({"selector": {"matchLabels": {"push": "yes"}}});
    room.apply(&push_secret(&selector, "None"));
    let status = || object(&room, PUSHES, "pushsecrets", "ps").unwrap()["status"].clone();
    until("a push of nothing", || {
        let status = status();
        let is = status["conditions"][0]["status"] == "True";
        if is { Ok(status) } else { Err(status) }
    });

    put_source(&room, "late", "one");

    until("a push of the new Secret", || {
        let status = status();
        let is = status["syncedPushSecrets"]["SecretStore/store"]["pushed/x"].is_object();
        if is { Ok(status) } else { Err(status) }
    });
}
