//! Argo CD's own diff library and health scripts see what is so: no drift in any mode for minimal
//! manifests of every kind, and health that tells the truth from the first second.

use lockstep_testkit::api::Api;
use lockstep_testkit::argo::{Argo, Mode};
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::manifest;
use lockstep_testkit::operator::Operator;
use serde_json::{Value, json};

use crate::world::until;

const MINIMAL: &str = include_str!("../minimal.yaml");
const MANAGER: &str = "fieldManager=argocd-controller&force=true";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const MINUTE: std::time::Duration = std::time::Duration::from_mins(1);

fn ready(api: &Api, object: &Value) -> Option<String> {
    let live = api.get(&api.path_of(object).ok()?).ok()?;
    let conditions = live["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|one| one["type"] == "Ready")?;
    Some(manifest::text(ready, "/status").to_owned())
}

fn operator(cluster: &Cluster) -> Operator {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_lockstep"));
    let log = cluster.dir().join("operator.log");
    Operator::start(program, &cluster.operator_kubeconfig(), &[], &log).unwrap()
}

/// A cluster with every minimal object in it, applied as `mode` expects it, and synced.
fn synced(mode: Mode) -> (ControlPlane, Vec<Value>, Operator) {
    let plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let api = plane.admin().unwrap();
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "minimal"}});
    api.apply(&namespace).unwrap();
    let text = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "text", "namespace": "minimal"}, "data": {"text": "b: c"},
    });
    api.apply(&text).unwrap();
    let mut objects = manifest::parse(MINIMAL).unwrap();
    for object in &mut objects {
        if !manifest::text(object, "/kind").starts_with("Cluster") {
            object["metadata"]["namespace"] = json!("minimal");
        }
        if mode == Mode::ClientSide {
            // As `kubectl apply` does it: the manifest is kept in an annotation.
            let mut sent = object.clone();
            let kept = format!("{object}\n");
            sent["metadata"]["annotations"] = json!({LAST_APPLIED: kept});
            let path = api.path_of(object).unwrap();
            let (list, _) = path.rsplit_once('/').unwrap();
            api.post(list, &sent).unwrap();
        } else {
            api.apply_with(object, MANAGER).unwrap();
        }
    }
    let running = operator(&plane);
    for object in &objects {
        let kind = manifest::text(object, "/kind");
        if ["ExternalSecret", "SecretStore", "ClusterSecretStore"].contains(&kind) {
            until(&manifest::label(object), MINUTE, || {
                ready(&api, object).as_deref() == Some("True")
            });
        }
    }
    (plane, objects, running)
}

#[test]
fn argo_sees_no_drift_in_any_mode() {
    for mode in Mode::ALL {
        let (plane, objects, running) = synced(mode);
        let api = plane.admin().unwrap();
        let argo = Argo::on(&api).unwrap();
        for object in &objects {
            // A status that comes between the two reads is waited out.
            until(
                &format!("{mode:?}: {}", manifest::label(object)),
                MINUTE,
                || {
                    let live = api.get(&api.path_of(object).unwrap()).unwrap();
                    let dry = format!("{MANAGER}&dryRun=All");
                    let predicted = match mode {
                        Mode::ServerSide => api.apply_with(object, &dry).unwrap(),
                        _ => Value::Null,
                    };
                    let found = argo.diff(mode, object, &live, &predicted).unwrap();
                    found.is_none()
                },
            );
        }
        drop(running);
    }
}

#[test]
fn a_default_below_a_list_would_be_seen() {
    let (plane, objects, running) = synced(Mode::StructuredMerge);
    let api = plane.admin().unwrap();
    let argo = Argo::on(&api).unwrap();
    let wanted = objects
        .iter()
        .find(|object| manifest::label(object) == "PushSecret minimal")
        .unwrap();
    let mut live = api.get(&api.path_of(wanted).unwrap()).unwrap();
    // As the original's CRDs would have it.
    live["spec"]["data"][0]["conversionStrategy"] = json!("None");

    let found = argo.diff(Mode::StructuredMerge, wanted, &live, &Value::Null);

    assert!(found.unwrap().is_some());
    drop(running);
}

#[test]
fn argo_health_is_right_from_the_first_second() {
    let plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &plane;
    cluster.install_crds().unwrap();
    let api = cluster.admin().unwrap();
    let argo = Argo::on(&api).unwrap();
    let store = |name: &str, key: &str| {
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"provider": {key: {"data": [{"key": "k", "value": "v"}]}}},
        })
    };
    let object = |name: &str, key: &str| {
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "secretStoreRef": {"name": "store"},
                "data": [{"secretKey": "a", "remoteRef": {"key": key}}],
            },
        })
    };
    let (good, bad) = (object("good", "k"), object("bad", "missing"));
    let mut once = object("once", "k");
    once["spec"]["refreshPolicy"] = json!("OnChange");
    for object in [&store("store", "fake"), &good, &bad, &once] {
        let made = api.apply(object).unwrap();
        let (health, _) = argo.health(&made).unwrap();
        assert_eq!(health, "Progressing", "{}", manifest::label(object));
    }

    let running = operator(cluster);

    for (object, status, health, message) in [
        (
            &store("store", "fake"),
            "True",
            "Healthy",
            "store validated",
        ),
        (&good, "True", "Healthy", "secret synced"),
        (&once, "True", "Healthy", "secret synced"),
        (&bad, "False", "Degraded", "key: missing"),
    ] {
        until(&manifest::label(object), MINUTE, || {
            ready(&api, object).as_deref() == Some(status)
        });
        let live = api.get(&api.path_of(object).unwrap()).unwrap();
        let (found, told) = argo.health(&live).unwrap();
        assert_eq!(found, health, "{live}");
        assert!(told.contains(message), "{told}");
    }

    // The rule for this policy compares times: it must be content after a second sync too.
    once["spec"]["data"][0]["secretKey"] = json!("b");
    api.apply(&once).unwrap();
    let path = api.path_of(&once).unwrap();
    until("a second sync", MINUTE, || {
        let live = api.get(&path).unwrap();
        live["status"]["observedGeneration"] == live["metadata"]["generation"]
    });
    let (found, told) = argo.health(&api.get(&path).unwrap()).unwrap();
    assert_eq!(found, "Healthy", "{told}");
    drop(running);
}
