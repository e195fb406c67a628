//! Secrets that vanish for a moment, or all at once, with AWS (moto) behind the operator: nothing that
//! could be needed a moment later is deleted, and what was meant to go goes.

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::moto::{Moto, REGION};
use serde_json::{Value, json};

use crate::aws::{create, quiet, started};
use crate::process::{Room, metric, put_store, until};

/// A store of Secrets Manager by the name of `aws`.
fn put_aws_store(room: &Room) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "aws-keys"},
        "stringData": {"access-key": "test", "secret-key": "test"},
    }));
    let key = |key: &str| json!({"name": "aws-keys", "key": key});
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore", "metadata": {"name": "aws"},
        "spec": {"provider": {"aws": {
            "service": "SecretsManager", "region": REGION,
            "auth": {"secretRef": {
                "accessKeyIDSecretRef": key("access-key"),
                "secretAccessKeySecretRef": key("secret-key"),
            }},
        }}},
    }));
}

fn external_secret(name: &str, store: &str, key: &str, more: &Value) -> Value {
    let mut object = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "refreshInterval": "10s", "secretStoreRef": {"name": store},
            "data": [{"secretKey": "a", "remoteRef": {"key": key}}],
        },
    });
    object["spec"]["target"] = more.clone();
    object
}

fn path(room: &Room, group: &str, plural: &str, name: &str) -> String {
    format!("{group}/namespaces/{}/{plural}/{name}", room.namespace)
}

fn deletions(moto: &Moto) -> usize {
    let seen = moto.seen();
    let deleted = seen
        .iter()
        .filter(|one| one.action.ends_with("DeleteSecret"));
    deleted.count()
}

fn has_event(room: &Room, reason: &str) -> bool {
    let events = room.list("/api/v1", "events");
    events.iter().any(|event| event["reason"] == reason)
}

/// Waits until this is pushed, in base64.
fn pushed(moto: &Moto, wanted: &str) {
    let asked = json!({"SecretId": "blink/made"});
    until("the pushed value", || {
        match moto.call("secretsmanager.GetSecretValue", &asked) {
            Ok(got) if got["SecretBinary"] == wanted => Ok(got),
            Ok(got) => Err(got),
            Err(error) => Err(json!(error.to_string())),
        }
    });
}

#[test]
fn a_source_that_its_owner_makes_again_costs_the_remote_secret_nothing() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    let _operator = started(cluster, &[&room.flag()], &quiet(&moto, &[]));
    put_aws_store(&room);
    put_store(&room, &[("k", "one")]);
    let source = external_secret("src", "store", "k", &json!({}));
    room.apply(&source);
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "ps"},
        "spec": {
            "refreshInterval": "10s", "deletionPolicy": "Delete",
            "secretStoreRefs": [{"name": "aws"}],
            "selector": {"secret": {"name": "src"}},
            "data": [{"match": {"secretKey": "a", "remoteRef": {"remoteKey": "blink/made"}}}],
        },
    }));
    pushed(&moto, "b25l");

    for _ in 0..3 {
        room.api
            .delete(&path(&room, "/api/v1", "secrets", "src"))
            .unwrap();
        until("the source, made again", || {
            room.secret("src").map(|_| ()).ok_or(())
        });
    }
    put_store(&room, &[("k", "two")]);
    pushed(&moto, "dHdv");
    assert_eq!(deletions(&moto), 0);

    // The owner itself is replaced: the source stays away until the push has missed it.
    let group = "/apis/external-secrets.io/v1";
    let owner = path(&room, group, "externalsecrets", "src");
    room.api.delete(&owner).unwrap();
    until("the end of the owner", || {
        let left = room.api.find(&owner).unwrap();
        if left.is_none() { Ok(left) } else { Err(left) }
    });
    let secret = path(&room, "/api/v1", "secrets", "src");
    if room.api.find(&secret).unwrap().is_some() {
        // The garbage collector may be faster.
        let _ = room.api.delete(&secret);
    }
    until("a word on the missing source", || {
        has_event(&room, "DeletionPending").then_some(()).ok_or(())
    });
    put_store(&room, &[("k", "three")]);
    room.apply(&source);
    pushed(&moto, "dGhyZWU=");
    assert_eq!(deletions(&moto), 0);

    // A source that does not come back is followed.
    room.api.delete(&owner).unwrap();
    let _ = room.api.delete(&secret);
    until("the end of the remote secret", || {
        let count = deletions(&moto);
        if count > 0 { Ok(count) } else { Err(count) }
    });
    until("a word on it", || {
        let group = "/apis/external-secrets.io/v1alpha1";
        let found = room.api.get(&path(&room, group, "pushsecrets", "ps"));
        let reason = found.unwrap()["status"]["conditions"][0]["reason"].clone();
        if reason == "SourceDeleted" {
            Ok(reason)
        } else {
            Err(reason)
        }
    });
}

fn remove(moto: &Moto, name: &str) {
    let asked = json!({"SecretId": name, "ForceDeleteWithoutRecovery": true});
    moto.call("secretsmanager.DeleteSecret", &asked).unwrap();
}

fn left(room: &Room, wanted: usize) {
    until("the Secrets that are left", || {
        let left = room.secrets().len();
        if left == wanted { Ok(left) } else { Err(left) }
    });
}

#[test]
fn one_secret_that_is_deleted_is_followed_and_a_lost_account_is_not_until_it_is_meant() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    let operator = started(cluster, &[&room.flag()], &quiet(&moto, &[]));
    put_aws_store(&room);
    for number in 0..15 {
        let (name, key) = (format!("es-{number}"), format!("mass/{number}"));
        create(&moto, &key, "v");
        // The last five would keep their Secrets, and lose the data.
        let policy = if number < 10 { "Delete" } else { "Merge" };
        let target = json!({"deletionPolicy": policy});
        room.apply(&external_secret(&name, "aws", &key, &target));
    }
    room.all_ready(15);

    remove(&moto, "mass/0");
    left(&room, 14);
    assert!(!has_event(&room, "DeletionHeld"));

    for number in 1..15 {
        remove(&moto, &format!("mass/{number}"));
    }
    until("a word on every object", || {
        let failed = room.with_ready("False");
        if failed.len() == 14 {
            Ok(failed.len())
        } else {
            Err(failed.len())
        }
    });
    assert_eq!(room.secrets().len(), 14);
    assert!(
        room.secrets()
            .iter()
            .all(|secret| secret["data"]["a"] == "dg==")
    );
    assert!(metric(&operator, "lockstep_held_deletions", "") >= 10);
    assert!(has_event(&room, "DeletionHeld"));

    let store = path(&room, "/apis/external-secrets.io/v1", "secretstores", "aws");
    let key = "reconcile.external-secrets.io/allow-mass-deletion";
    let release = json!({"metadata": {"annotations": {key: "true"}}});
    room.api.merge(&store, &release).unwrap();
    left(&room, 5);
    until("Secrets without data", || {
        let full = room.secrets();
        let full = full.iter().filter(|secret| secret["data"]["a"].is_string());
        match full.count() {
            0 => Ok(0),
            count => Err(count),
        }
    });
}
