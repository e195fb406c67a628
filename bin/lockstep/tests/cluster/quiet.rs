//! Quiet under GitOps: what people write in Git is what stands in the cluster, in every kind, and
//! tools that wait for health see the truth from the first second. The same objects go through Argo
//! CD's own library in the GitOps tests.

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::manifest;
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

const MINIMAL: &str = include_str!("../minimal.yaml");
const MANAGER: &str = "fieldManager=argocd-controller&force=true";

/// Puts every minimal object into a namespace, as Argo CD does with server-side apply.
fn applied(api: &Api) -> Vec<Value> {
    for name in ["minimal", "text"] {
        let object = match name {
            "text" => json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": "minimal"}, "data": {"text": "b: c"},
            }),
            _ => json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        };
        api.apply(&object).unwrap();
    }
    let mut objects = manifest::parse(MINIMAL).unwrap();
    for object in &mut objects {
        let kind = manifest::text(object, "/kind");
        if !kind.starts_with("Cluster") {
            object["metadata"]["namespace"] = json!("minimal");
        }
        api.apply_with(object, MANAGER).unwrap();
    }
    objects
}

fn live(api: &Api, object: &Value) -> Value {
    api.get(&api.path_of(object).unwrap()).unwrap()
}

fn ready(api: &Api, object: &Value) -> Option<String> {
    let found = live(api, object);
    let conditions = found["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|one| one["type"] == "Ready")?;
    Some(manifest::text(ready, "/status").to_owned())
}

/// Where `live` says something else than `wanted`: maps may hold more, lists may not.
fn drift(wanted: &Value, live: &Value, path: &str) -> Vec<String> {
    match (wanted, live) {
        (Value::Object(wanted), Value::Object(live)) => wanted
            .iter()
            .flat_map(|(key, value)| {
                let found = live.get(key).unwrap_or(&Value::Null);
                drift(value, found, &format!("{path}.{key}"))
            })
            .collect(),
        _ if wanted == live => Vec::new(),
        _ => vec![format!("{path}: {wanted} is {live}")],
    }
}

/// Managers that own something in the spec.
fn owners_of_spec(object: &Value) -> Vec<&str> {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let owning = entries.iter().filter(|entry| {
        let fields = entry["fieldsV1"].get("f:spec");
        fields.is_some() && entry["subresource"].is_null()
    });
    owning
        .map(|entry| manifest::text(entry, "/manager"))
        .collect()
}

#[test]
fn minimal_manifests_of_every_kind_stay_as_they_were_written() {
    let plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &plane;
    let crds = cluster.install_crds().unwrap();
    let api = cluster.admin().unwrap();
    let objects = applied(&api);
    let kinds: std::collections::BTreeSet<_> = objects
        .iter()
        .map(|object| manifest::text(object, "/kind").to_owned())
        .collect();
    assert_eq!(kinds.len(), crds, "one of every kind");
    let running = operator(cluster, &[]);
    for object in &objects {
        let kind = manifest::text(object, "/kind");
        if ["ExternalSecret", "SecretStore", "ClusterSecretStore"].contains(&kind) {
            until("readiness", || match ready(&api, object).as_deref() {
                Some("True") => Ok(Value::Null),
                _ => Err(live(&api, object)),
            });
        }
    }

    for object in &objects {
        let label = manifest::label(object);
        // Applying again is no change for the server; a status that comes in between is waited out.
        let live = until("agreement with a dry run", || {
            let live = live(&api, object);
            let mut again = api
                .apply_with(object, &format!("{MANAGER}&dryRun=All"))
                .unwrap();
            again["metadata"]["managedFields"] = live["metadata"]["managedFields"].clone();
            if again == live { Ok(live) } else { Err(again) }
        });
        // Three-way and structured-merge comparisons: lists are atomic, so nothing may be added.
        assert_eq!(drift(object, &live, ""), Vec::<String>::new(), "{label}");
        assert_eq!(owners_of_spec(&live), ["argocd-controller"], "{label}");
    }
    drop(running);
}

/// What kstatus, and so Flux with `wait: true`, makes of an object.
fn kstatus(object: &Value) -> &'static str {
    let status = &object["status"];
    let condition = |name: &str| {
        let conditions = status["conditions"].as_array()?;
        let found = conditions.iter().find(|one| one["type"] == name)?;
        found["status"].as_str()
    };
    let observed = status["observedGeneration"].as_i64();
    if !object["metadata"]["deletionTimestamp"].is_null() {
        "Terminating"
    } else if observed.is_some_and(|seen| Some(seen) != object["metadata"]["generation"].as_i64())
        || condition("Reconciling") == Some("True")
    {
        "InProgress"
    } else if condition("Stalled") == Some("True") {
        "Failed"
    } else if condition("Ready").is_some_and(|ready| ready != "True") {
        "InProgress"
    } else {
        "Current"
    }
}

#[test]
fn tools_that_wait_see_the_truth_from_the_first_second() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    room.fill();
    // Nobody has looked at it yet, and nobody takes it for done.
    assert_eq!(kstatus(&room.external_secret("es")), "InProgress");

    let mut running = operator(cluster, &[&room.flag()]);
    running.healthy().unwrap();
    room.synced();
    assert_eq!(kstatus(&room.external_secret("es")), "Current");

    // A new spec is not done before it was looked at.
    drop(running);
    let spec = json!({"data": [{"secretKey": "a", "remoteRef": {"key": "missing"}}]});
    let object = room.external_secret("es");
    let path = room.api.path_of(&object).unwrap();
    room.api.merge(&path, &json!({"spec": spec})).unwrap();
    assert_eq!(kstatus(&room.external_secret("es")), "InProgress");

    let running = operator(cluster, &[&room.flag()]);
    let failed = until("a failure", || {
        let object = room.external_secret("es");
        let observed = &object["status"]["observedGeneration"];
        if *observed == object["metadata"]["generation"] {
            Ok(object)
        } else {
            Err(object)
        }
    });
    assert_eq!(failed["status"]["conditions"][0]["status"], "False");
    assert_eq!(kstatus(&failed), "InProgress");
    drop(running);
}
