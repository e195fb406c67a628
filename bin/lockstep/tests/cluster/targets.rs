//! What happens to target Secrets that others touch.

use lockstep_testkit::controlplane::Cluster;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

fn data(secret: Option<&Value>) -> Option<&str> {
    secret?["data"]["a"].as_str()
}

#[test]
fn an_edited_target_is_repaired_and_a_deleted_one_comes_back() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    room.fill();
    room.synced();
    let path = format!("/api/v1/namespaces/{}/secrets/es", room.namespace);

    room.api
        .merge(&path, &json!({"data": {"a": "ZWRpdGVk"}}))
        .unwrap();
    until("repair", || {
        let secret = room.secret("es");
        if data(secret.as_ref()) == Some("dg==") {
            Ok(secret)
        } else {
            Err(secret)
        }
    });
    room.api.delete(&path).unwrap();
    until("return", || {
        let secret = room.secret("es");
        if data(secret.as_ref()) == Some("dg==") {
            Ok(secret)
        } else {
            Err(secret)
        }
    });
}

/// An ExternalSecret whose refreshes are shared reads, which run nothing while values stay the same.
fn put_refreshed(room: &Room, policy: &str) -> String {
    room.fill();
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "refreshInterval": "2s", "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
            "target": {"creationPolicy": policy},
        },
    }));
    room.synced();
    until("the Secret", || {
        let secret = room.secret("es");
        let is = data(secret.as_ref()).is_some();
        if is { Ok(secret) } else { Err(secret) }
    });
    format!("/api/v1/namespaces/{}/secrets/es", room.namespace)
}

#[test]
fn a_target_that_nobody_owns_comes_back_with_the_next_refresh() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    let path = put_refreshed(&room, "Orphan");

    room.api.delete(&path).unwrap();

    until("return", || {
        let secret = room.secret("es");
        let is = data(secret.as_ref()) == Some("dg==");
        if is { Ok(secret) } else { Err(secret) }
    });
}

#[test]
fn an_owner_that_was_taken_away_comes_back_with_the_next_refresh() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let _operator = operator(cluster, &[&room.flag()]);
    let path = put_refreshed(&room, "Owner");
    let taken = json!({"metadata": {"ownerReferences": null}});

    let left = room.api.merge(&path, &taken).unwrap();
    assert_eq!(left["metadata"]["ownerReferences"], Value::Null);

    until("the owner", || {
        let owners = room.secret("es").unwrap()["metadata"]["ownerReferences"].clone();
        let is = owners[0]["kind"] == "ExternalSecret";
        if is { Ok(owners) } else { Err(owners) }
    });
}

#[test]
fn a_secret_controlled_by_someone_else_stays_as_it_is() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}});
    let owner = room.api.apply_in(&room.namespace, &owner).unwrap();
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "es", "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
            "uid": owner["metadata"]["uid"], "controller": true,
        }]},
        "data": {"own": "a2VwdA=="},
    }));
    let before = room.secret("es").unwrap();
    let _operator = operator(cluster, &[&room.flag()]);

    room.fill();
    until("a refusal", || {
        let object = room.external_secret("es");
        let message = object["status"]["conditions"][0]["message"]
            .as_str()
            .unwrap_or_default();
        let refused = message.starts_with("failed to take ownership of target secret: ");
        if refused { Ok(object) } else { Err(object) }
    });

    assert_eq!(room.secret("es").unwrap(), before);
}

#[test]
fn an_operator_that_comes_back_writes_nothing() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut first = operator(cluster, &[&room.flag()]);
    room.fill();
    room.synced();
    first.terminate().unwrap();
    let before = (room.secret("es").unwrap(), room.external_secret("es"));

    let second = operator(cluster, &[&room.flag()]);
    until("a run of es", || {
        let metrics = second.metrics().unwrap_or_default();
        let ran = metrics.lines().any(|line| {
            line.starts_with("controller_runtime_reconcile_total")
                && line.contains("controller=\"externalsecret\"")
                && !line.ends_with(" 0")
        });
        if ran { Ok(()) } else { Err(()) }
    });

    assert_eq!(
        (room.secret("es").unwrap(), room.external_secret("es")),
        before
    );
}
