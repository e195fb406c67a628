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
