//! Manifests that ask for too much fail by themselves: the process goes on, other objects sync, and
//! nothing that was not pushed is deleted.

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

const GENERATORS: &str = "generators.external-secrets.io/v1alpha1";
const ROLES: &str = "rbac.authorization.k8s.io";

fn generated(name: &str, kind: &str, generator: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {"refreshInterval": "1h", "dataFrom": [{"sourceRef": {"generatorRef": {
            "apiVersion": GENERATORS, "kind": kind, "name": generator,
        }}}]},
    })
}

fn refused(room: &Room, name: &str, text: &str) {
    until(name, || {
        let conditions = room.external_secret(name)["status"]["conditions"].clone();
        let message = conditions[0]["message"].as_str().unwrap_or_default();
        let is = conditions[0]["status"] == "False" && message.contains(text);
        if is { Ok(conditions) } else { Err(conditions) }
    });
}

#[test]
fn a_password_of_a_petabyte_fails_and_others_sync() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    let spec = json!({"length": 1_000_000_000_000_000_u64, "allowRepeat": true,
        "digits": 0, "symbols": 0, "noUpper": false});
    room.apply(
        &json!({"apiVersion": GENERATORS, "kind": "Password", "metadata": {"name": "huge"},
        "spec": spec}),
    );
    room.api
        .apply(&json!({
            "apiVersion": GENERATORS, "kind": "ClusterGenerator",
            "metadata": {"name": room.namespace},
            "spec": {"kind": "Password", "generator": {"passwordSpec": spec}},
        }))
        .unwrap();

    room.apply(&generated("huge", "Password", "huge"));
    room.apply(&generated("wrapped", "ClusterGenerator", &room.namespace));

    let text = "spec.length is 1000000000000000; at most 4096 is allowed";
    refused(&room, "huge", text);
    refused(&room, "wrapped", text);
    room.fill();
    room.synced();
    let path = format!("/apis/{GENERATORS}/clustergenerators/{}", room.namespace);
    room.api.delete(&path).unwrap();
}

/// A ClusterSecretStore that writes to the room's namespace, with rights in another one too.
fn put_cluster_store(room: &Room, cluster: &Cluster, other: &str) {
    let access = Access::read(&cluster.admin_kubeconfig()).unwrap();
    let namespace = room.namespace.as_str();
    room.apply(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "w"}}));
    for place in [namespace, other] {
        let objects = [
            json!({
                "apiVersion": format!("{ROLES}/v1"), "kind": "Role", "metadata": {"name": "w"},
                "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}],
            }),
            json!({
                "apiVersion": format!("{ROLES}/v1"), "kind": "RoleBinding", "metadata": {"name": "w"},
                "roleRef": {"apiGroup": ROLES, "kind": "Role", "name": "w"},
                "subjects": [{"kind": "ServiceAccount", "name": "w", "namespace": namespace}],
            }),
        ];
        for object in objects {
            room.api.apply_in(place, &object).unwrap();
        }
    }
    room.apply(
        &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "ca"},
        "stringData": {"ca": access.ca}}),
    );
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": {"name": namespace},
        "spec": {"controller": namespace, "provider": {"kubernetes": {
            "remoteNamespace": namespace,
            "server": {"url": access.server, "caProvider":
                {"type": "Secret", "name": "ca", "key": "ca", "namespace": namespace}},
            "auth": {"serviceAccount": {"name": "w", "namespace": namespace}},
        }}},
    });
    room.api.apply(&store).unwrap();
}

#[test]
fn a_push_into_another_namespace_is_deleted_there_and_nothing_else_is() {
    let cluster = Cluster::shared().unwrap();
    let (room, other) = (Room::new(cluster), Room::new(cluster));
    let _operator = operator(
        cluster,
        &[&format!("--controller-class={}", room.namespace)],
    );
    put_cluster_store(&room, cluster, &other.namespace);
    let secret = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
            "stringData": {"x": "mine"}})
    };
    // Of the name that is pushed, in the store's own namespace, made by somebody else.
    room.apply(&secret("pushed"));
    room.apply(&secret("src"));
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "ps"},
        "spec": {
            "refreshInterval": "1h", "deletionPolicy": "Delete", "updatePolicy": "IfNotExists",
            "secretStoreRefs": [{"name": room.namespace, "kind": "ClusterSecretStore"}],
            "selector": {"secret": {"name": "src"}},
            "data": [{
                "match": {"secretKey": "x", "remoteRef": {"remoteKey": "pushed", "property": "x"}},
                "metadata": {
                    "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
                    "kind": "PushSecretMetadata",
                    "spec": {"remoteNamespace": other.namespace},
                },
            }],
        },
    }));
    until("the pushed Secret", || {
        other
            .secret("pushed")
            .map_or(Err(None), |made| Ok(Some(made)))
    });
    let path = format!(
        "/apis/external-secrets.io/v1alpha1/namespaces/{}/pushsecrets/ps",
        room.namespace
    );
    until("the record", || {
        let object = room.api.get(&path).unwrap();
        let record = object["status"]["syncedPushSecrets"].clone();
        if record.is_object() {
            Ok(record)
        } else {
            Err(record)
        }
    });

    room.api.delete(&path).unwrap();

    until("the end of the object", || {
        let left = room.api.find(&path).unwrap();
        if left.is_none() { Ok(left) } else { Err(left) }
    });
    assert_eq!(other.secret("pushed"), None);
    assert!(room.secret("pushed").is_some());
    let store = format!(
        "/apis/external-secrets.io/v1/clustersecretstores/{}",
        room.namespace
    );
    room.api.delete(&store).unwrap();
}
