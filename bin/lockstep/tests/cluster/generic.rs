//! Targets that are no Secrets, on a real API server: written, repaired, created again, released.

use lockstep_testkit::controlplane::Cluster;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

const FLAG: &str = "--unsafe-allow-generic-targets";

/// Lets the operator write ConfigMaps in a room.
fn grant(room: &Room) {
    room.apply(&json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": {"name": "generic-targets"},
        "rules": [{
            "apiGroups": [""], "resources": ["configmaps"],
            "verbs": ["create", "update", "patch", "delete"],
        }],
    }));
    room.apply(&json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "generic-targets"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "generic-targets",
        },
        "subjects": [{
            "kind": "ServiceAccount", "name": "external-secrets", "namespace": "external-secrets",
        }],
    }));
}

/// An ExternalSecret whose target is ConfigMap `es`.
fn fill(room: &Room, more: &Value) {
    fill_refreshed(room, "1h", more);
}

/// The same with an interval.
fn fill_refreshed(room: &Room, interval: &str, more: &Value) {
    room.fill();
    let mut target = json!({"manifest": {"apiVersion": "v1", "kind": "ConfigMap"}});
    target
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "secretStoreRef": {"name": "store"},
            "refreshInterval": interval,
            "target": target,
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    }));
}

fn path(room: &Room) -> String {
    format!("/api/v1/namespaces/{}/configmaps/es", room.namespace)
}

fn until_written(room: &Room, what: &str) {
    until(what, || {
        let map = room.api.find(&path(room)).unwrap();
        let is_written = map
            .as_ref()
            .is_some_and(|map| map["data"] == json!({"a": "v"}));
        if is_written { Ok(map) } else { Err(map) }
    });
}

#[test]
fn an_edited_object_is_repaired_and_a_deleted_one_comes_back() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    grant(&room);
    let mut first = operator(cluster, &[&room.flag(), FLAG]);
    fill(&room, &json!({}));
    room.synced();
    until_written(&room, "the first write");

    room.api
        .merge(&path(&room), &json!({"data": {"a": "edited", "b": "x"}}))
        .unwrap();
    until_written(&room, "repair");
    room.api.delete(&path(&room)).unwrap();
    until_written(&room, "return");
    first.terminate().unwrap();

    let _second = operator(cluster, &[&room.flag(), FLAG]);
    room.api
        .merge(&path(&room), &json!({"data": {"a": "edited again"}}))
        .unwrap();
    until_written(&room, "repair after a restart");
}

#[test]
fn an_object_that_nobody_owns_is_repaired_by_the_next_refresh() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    grant(&room);
    let _operator = operator(cluster, &[&room.flag(), FLAG]);
    fill_refreshed(&room, "2s", &json!({"creationPolicy": "Orphan"}));
    until_written(&room, "the first write");

    let edited = json!({"data": {"a": "edited"}});
    room.api.merge(&path(&room), &edited).unwrap();
    until_written(&room, "repair");
    room.api.delete(&path(&room)).unwrap();
    until_written(&room, "return");
}

#[test]
fn missing_rights_are_told_and_waited_for() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag(), FLAG]);
    fill(&room, &json!({}));

    until("a refusal", || {
        let object = room.external_secret("es");
        let ready = &object["status"]["conditions"][0];
        let message = ready["message"].as_str().unwrap_or_default();
        let is_told = ready["reason"] == "ResourceSyncedError"
            && message.starts_with("could not update secret: ApiServer: ")
            && message.contains("configmaps");
        if is_told { Ok(object) } else { Err(object) }
    });
    grant(&room);

    until_written(&room, "the write");
}

#[test]
fn without_the_flag_nothing_is_written_and_the_flag_is_named() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    grant(&room);
    let _operator = operator(cluster, &[&room.flag()]);
    fill(&room, &json!({}));

    until("a refusal", || {
        let object = room.external_secret("es");
        let ready = &object["status"]["conditions"][0];
        let message = ready["message"].as_str().unwrap_or_default();
        let is_told = ready["reason"] == "SecretSyncedError"
            && message.starts_with("invalid generic target: ")
            && message.contains("--unsafe-allow-generic-targets");
        if is_told { Ok(object) } else { Err(object) }
    });

    assert_eq!(room.api.find(&path(&room)).unwrap(), None);
}

#[test]
fn an_object_goes_with_its_external_secret_where_the_policy_says_so() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    grant(&room);
    let _operator = operator(cluster, &[&room.flag(), FLAG]);
    fill(&room, &json!({"deletionPolicy": "Delete"}));
    until_written(&room, "the first write");

    let object = format!(
        "/apis/external-secrets.io/v1/namespaces/{}/externalsecrets/es",
        room.namespace
    );
    room.api.delete(&object).unwrap();

    until("the end of the object", || {
        match room.api.find(&path(&room)).unwrap() {
            None => Ok(None),
            held => Err(held),
        }
    });
}
