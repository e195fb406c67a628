//! `lockstep plan` over objects that Flux, kubectl and Helm applied: what the next apply removes, told
//! before it, and done by the API server after it. And what the deletion guard would hold.

use lockstep_testkit::controlplane::Cluster;
use serde_json::{Value, json};

use crate::preview::{CANARY, object, plan, store, versions};
use crate::process::{Room, fleet, operator};

/// An ExternalSecret with more of everything than `object` has.
fn rich(room: &Room) -> Value {
    let mut rich = object("es");
    rich["metadata"]["namespace"] = room.namespace.clone().into();
    rich["metadata"]["labels"] = json!({"team": "a", "kept": "b"});
    rich["metadata"]["annotations"] = json!({"note": "c"});
    rich["spec"]["refreshInterval"] = json!("5m");
    rich["spec"]["target"] = json!({"name": "es", "deletionPolicy": "Merge"});
    rich
}

/// The same with less.
fn poor(room: &Room) -> Value {
    let mut poor = object("es");
    poor["metadata"]["namespace"] = room.namespace.clone().into();
    poor["metadata"]["labels"] = json!({"kept": "b"});
    poor["spec"]["target"] = json!({"name": "es"});
    poor
}

/// What the plan of a manifest names as changing in it.
fn causes(cluster: &Cluster, room: &Room, manifest: &Value) -> Vec<String> {
    let before = versions(room);
    let ran = plan(
        cluster,
        room,
        &["--output", "json"],
        std::slice::from_ref(manifest),
    );
    assert_eq!(versions(room), before);
    let report = ran.json();
    let changes = report["changes"].as_array().unwrap();
    let own = changes.iter().find(|one| one["by"].is_null());
    let causes = own.and_then(|own| own["causes"][1].as_str());
    let mut paths: Vec<String> = causes
        .into_iter()
        .flat_map(|causes| causes.split(", "))
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths
}

const REMOVED: [&str; 4] = [
    "metadata.annotations[note] (removed)",
    "metadata.labels[team] (removed)",
    "spec.refreshInterval (removed)",
    "spec.target.deletionPolicy (removed)",
];

fn path(room: &Room) -> String {
    let group = "/apis/external-secrets.io/v1";
    format!("{group}/namespaces/{}/externalsecrets", room.namespace)
}

#[test]
fn a_plan_removes_what_server_side_apply_removes() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let flux = "fieldManager=kustomize-controller&force=true";
    let mut applied = rich(&room);
    applied["metadata"]["labels"]["kustomize.toolkit.fluxcd.io/name"] = json!("apps");
    room.api.apply_with(&applied, flux).unwrap();
    let person = json!({
        "metadata": {"labels": {"own": "d"}}, "spec": {"refreshPolicy": "OnChange"},
    });
    let edit = format!("{}/es?fieldManager=kubectl-edit", path(&room));
    room.api.merge(&edit, &person).unwrap();

    let planned = causes(cluster, &room, &poor(&room));

    assert_eq!(planned, REMOVED);
    // The API server does the same.
    room.api.apply_with(&poor(&room), flux).unwrap();
    let after = room.external_secret("es");
    assert_eq!(
        after["metadata"]["labels"],
        json!({"kept": "b", "own": "d"})
    );
    assert_eq!(after["metadata"]["annotations"], Value::Null);
    assert_eq!(after["spec"]["refreshInterval"], "1h0m0s");
    assert_eq!(after["spec"]["refreshPolicy"], "OnChange");
    assert_eq!(after["spec"]["target"]["deletionPolicy"], "Retain");
    assert_eq!(causes(cluster, &room, &poor(&room)), [] as [&str; 0]);
}

#[test]
fn a_plan_removes_what_client_side_apply_removes() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let (mut applied, last) = (rich(&room), rich(&room).to_string());
    applied["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
        json!(last);
    let create = format!("{}?fieldManager=kubectl-client-side-apply", path(&room));
    room.api.post(&create, &applied).unwrap();
    let label = format!("{}/es?fieldManager=kubectl-label", path(&room));
    let labels = json!({"metadata": {"labels": {"own": "d"}}});
    room.api.merge(&label, &labels).unwrap();

    assert_eq!(causes(cluster, &room, &poor(&room)), REMOVED);
    assert_eq!(causes(cluster, &room, &rich(&room)), [] as [&str; 0]);
}

#[test]
fn a_plan_of_a_rendered_chart_keeps_what_helm_adds_and_what_defaults_fill_in() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut applied = rich(&room);
    applied["metadata"]["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
    applied["metadata"]["annotations"]["meta.helm.sh/release-name"] = json!("app");
    let create = format!("{}?fieldManager=helm", path(&room));
    room.api.post(&create, &applied).unwrap();
    let vault = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "vault", "namespace": room.namespace},
        "spec": {"provider": {"vault": {
            "server": "https://vault.example.com", "path": "kv",
            "auth": {"tokenSecretRef": {"name": "t", "key": "k"}},
        }}},
    });
    let stores = path(&room).replace("externalsecrets", "secretstores");
    let create = format!("{stores}?fieldManager=helm");
    room.api.post(&create, &vault).unwrap();

    assert_eq!(causes(cluster, &room, &rich(&room)), [] as [&str; 0]);
    assert_eq!(causes(cluster, &room, &poor(&room)), REMOVED);
    assert_eq!(causes(cluster, &room, &vault), [] as [&str; 0]);
}

#[test]
fn a_plan_says_what_the_deletion_guard_would_hold() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    fleet(&room, &[("k", CANARY)], 12, "1h");
    let mut running = operator(cluster, &[&room.flag()]);
    room.all_ready(12);
    running.terminate().unwrap();
    let before = versions(&room);
    let mut empty = store(&room, CANARY);
    empty["spec"]["provider"]["fake"]["data"][0]["key"] = json!("other");

    let held = plan(cluster, &room, &[], &[empty.clone()]);
    empty["metadata"]["annotations"] =
        json!({"reconcile.external-secrets.io/allow-mass-deletion": "true"});
    let released = plan(cluster, &room, &["--output", "json"], &[empty]);

    assert_eq!(held.code, 1, "{held:?}");
    let line = format!("! hold SecretStore {}/store", room.namespace);
    assert!(held.out.contains(&line), "{}", held.out);
    assert!(held.out.contains("data of 12 objects"), "{}", held.out);
    assert!(
        held.out
            .contains("reconcile.external-secrets.io/allow-mass-deletion=true"),
        "{}",
        held.out
    );
    assert!(!held.out.contains("- delete Secret"), "{}", held.out);
    assert_eq!(released.json()["summary"]["delete"], 12, "{}", released.out);
    assert_eq!(versions(&room), before);
}
