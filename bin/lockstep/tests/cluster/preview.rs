//! `lockstep plan` on a real API server: what it shows, and that it changes nothing.

use std::path::{Path, PathBuf};

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::kubeconfig::Access;
use serde_json::{Value, json};

use crate::command::{Ran, run};
use crate::process::{Room, operator};
use crate::push;

pub(crate) const CANARY: &str = "canary-5c1e";

pub(crate) fn store(room: &Room, value: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "store", "namespace": room.namespace},
        "spec": {"provider": {"fake": {"data": [{"key": "k", "value": value}]}}},
    })
}

pub(crate) fn object(name: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    })
}

pub(crate) fn plan(cluster: &Cluster, room: &Room, words: &[&str], input: &[Value]) -> Ran {
    let documents: Vec<String> = input.iter().map(Value::to_string).collect();
    let mut all = vec!["plan", "-f", "-", "--namespace", &room.namespace];
    all.extend(words);
    let ran = run(
        &cluster.admin_kubeconfig(),
        &all,
        &documents.join("\n---\n"),
    );
    ran.shows_no(CANARY);
    ran
}

/// Versions of everything the plan looks at.
pub(crate) fn versions(room: &Room) -> Vec<String> {
    let mut found = Vec::new();
    for (group, plural) in [
        ("/api/v1", "secrets"),
        ("/apis/external-secrets.io/v1", "externalsecrets"),
        ("/apis/external-secrets.io/v1", "secretstores"),
        ("/apis/external-secrets.io/v1alpha1", "pushsecrets"),
        ("/api/v1", "events"),
    ] {
        for one in room.list(group, plural) {
            let metadata = &one["metadata"];
            found.push(format!(
                "{plural} {} {}",
                metadata["name"], metadata["resourceVersion"]
            ));
        }
    }
    found
}

#[test]
fn a_plan_of_new_manifests_shows_their_secret_and_makes_nothing() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let before = versions(&room);
    let given = [store(&room, CANARY), object("app")];

    let text = plan(cluster, &room, &[], &given);
    let strict = plan(cluster, &room, &["--exit-code", "--output", "json"], &given);

    let secret = format!("+ create Secret {}/app", room.namespace);
    assert_eq!(text.code, 0, "{text:?}");
    assert!(text.out.contains(&secret), "{}", text.out);
    assert!(
        text.out.contains("+ data a: 11 bytes, sha256:"),
        "{}",
        text.out
    );
    assert!(text.out.contains("is new"), "{}", text.out);
    assert_eq!(strict.code, 1, "--exit-code counts changes");
    assert_eq!(strict.json()["summary"]["create"], 3, "{}", strict.out);
    assert_eq!(versions(&room), before);
}

#[test]
fn a_plan_over_a_synced_object_shows_what_changes_with_its_cause() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    room.apply(&store(&room, CANARY));
    room.apply(&object("es"));
    let mut running = operator(cluster, &[&room.flag()]);
    room.synced();
    running.terminate().unwrap();
    let before = versions(&room);

    let same = plan(cluster, &room, &["--exit-code"], &[object("es")]);
    let other = plan(cluster, &room, &[], &[store(&room, "other")]);
    let mut renamed = object("es");
    renamed["spec"]["data"][0]["secretKey"] = json!("b");
    let renamed = plan(cluster, &room, &[], &[renamed]);

    assert_eq!(same.code, 0, "{}", same.out);
    assert!(other.out.contains("~ data a: 11 bytes"), "{}", other.out);
    assert!(other.out.contains("SecretStore"), "{}", other.out);
    assert!(
        renamed.out.contains("spec.data[0].secretKey"),
        "{}",
        renamed.out
    );
    assert!(
        renamed.out.contains("- data a: 11 bytes"),
        "{}",
        renamed.out
    );
    assert!(
        renamed.out.contains("+ data b: 11 bytes"),
        "{}",
        renamed.out
    );
    assert_eq!(versions(&room), before);
}

/// A kubeconfig of a ServiceAccount of the room that has no rights yet.
fn nobody(cluster: &Cluster, room: &Room, folder: &Path) -> PathBuf {
    room.apply(
        &json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}}),
    );
    let path = format!(
        "/api/v1/namespaces/{}/serviceaccounts/nobody/token",
        room.namespace
    );
    let request =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let token = room.api.post(&path, &request).unwrap();
    let access = Access {
        token: token["status"]["token"].as_str().unwrap().to_owned(),
        ..Access::read(&cluster.admin_kubeconfig()).unwrap()
    };
    let kubeconfig = folder.join("kubeconfig");
    access
        .write(&kubeconfig, "nobody", &room.namespace)
        .unwrap();
    kubeconfig
}

#[test]
fn missing_rights_name_the_rule() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = nobody(cluster, &room, folder.path());

    let ran = run(&kubeconfig, &["plan", "-f", "-"], &object("x").to_string());

    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("resources: [\"externalsecrets\"]"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("verbs: [\"list\"]"), "{}", ran.err);
}

#[test]
fn a_missing_right_to_read_secrets_names_the_rule_at_the_object() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = nobody(cluster, &room, folder.path());
    let (name, group) = (&room.namespace, "rbac.authorization.k8s.io");
    let api = &room.api;
    api.apply(&json!({
        "apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": {"name": name},
        "rules": [
            {"apiGroups": ["external-secrets.io"], "resources": ["*"], "verbs": ["list"]},
            {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]},
        ],
    }))
    .unwrap();
    api.apply(&json!({
        "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": "nobody", "namespace": name}],
    }))
    .unwrap();
    let input = format!("{}\n---\n{}", store(&room, CANARY), object("x"));

    let ran = run(&kubeconfig, &["plan", "-f", "-"], &input);

    ran.shows_no(CANARY);
    assert_eq!(ran.code, 1, "{ran:?}");
    let line = format!("! fail ExternalSecret {name}/x");
    assert!(ran.out.contains(&line), "{}", ran.out);
    assert!(ran.out.contains("resources: [\"secrets\"]"), "{}", ran.out);
    assert!(ran.out.contains("verbs: [\"get\"]"), "{}", ran.out);
}

#[test]
fn a_manifest_for_a_namespace_that_is_not_there_would_fail() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut elsewhere = object("x");
    elsewhere["metadata"]["namespace"] = json!("nowhere");
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "nowhere"}});

    let alone = plan(
        cluster,
        &room,
        &["--output", "json"],
        std::slice::from_ref(&elsewhere),
    );
    let both = plan(cluster, &room, &[], &[elsewhere, namespace]);

    assert_eq!(alone.code, 1, "{alone:?}");
    let report = alone.json();
    assert_eq!(report["changes"], json!([]), "{}", alone.out);
    let message = report["failures"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("namespace nowhere is not there"),
        "{message}"
    );
    assert!(
        both.out.contains("+ create ExternalSecret nowhere/x"),
        "{}",
        both.out
    );
}

#[test]
fn a_broken_manifest_is_wrong_usage() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut broken = object("x");
    broken["spec"]["secretStorRef"] = json!({"name": CANARY});

    let ran = plan(cluster, &room, &[], &[broken]);

    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("secretStorRef"), "{}", ran.err);
}

#[test]
fn a_push_is_planned_and_nothing_is_pushed() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    push::put_store(&room, cluster);
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "source"},
        "stringData": {"a": CANARY},
    }));
    let before = versions(&room);
    let given = json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "up"},
        "spec": {
            "secretStoreRefs": [{"name": "store"}],
            "selector": {"secret": {"name": "source"}},
            "data": [{"match": {"secretKey": "a", "remoteRef": {"remoteKey": "there", "property": "p"}}}],
        },
    });

    let ran = plan(cluster, &room, &[], &[given]);

    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("key there property p by PushSecret"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("value: 11 bytes, sha256:"), "{}", ran.out);
    assert!(ran.out.contains("nothing is there"), "{}", ran.out);
    assert_eq!(versions(&room), before);
}
