//! Releases of the chart on a real API server, by Helm 3: upgraded from the original chart, rolled
//! back, uninstalled and installed again. CRDs, objects and Secrets stay the same ones all along.

use std::collections::BTreeMap;
use std::path::Path;

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::helm::{Helm, IMAGE};
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

/// The test cluster has the chart's own names already, for the operator under test.
const RELEASE: [&str; 3] = ["secrets-manager", "--namespace", "secrets-manager"];
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// What must never be replaced by another object of the same name.
#[derive(Debug, PartialEq, Eq)]
struct Identities {
    crds: BTreeMap<String, String>,
    external_secret: String,
    secret: (String, String),
}

fn identities(room: &Room) -> Identities {
    let text = |value: &Value, pointer: &str| manifest::text(value, pointer).to_owned();
    let secret = room.secret("es").unwrap();
    Identities {
        crds: uids(&room.api),
        external_secret: text(&room.external_secret("es"), "/metadata/uid"),
        secret: (
            text(&secret, "/metadata/uid"),
            text(&secret, "/metadata/resourceVersion"),
        ),
    }
}

fn crds(api: &Api) -> Vec<Value> {
    let found = api.get(CRDS).unwrap();
    found["items"].as_array().unwrap().clone()
}

/// A chart of the original's name with its values, and its CRDs as it renders them: templates, and
/// nothing that keeps them.
pub(crate) fn original_chart(dir: &Path) {
    let templates = dir.join("templates");
    std::fs::create_dir_all(&templates).unwrap();
    std::fs::write(
        dir.join("Chart.yaml"),
        "apiVersion: v2\nname: external-secrets\nversion: 2.8.0\nappVersion: v2.8.0\n",
    )
    .unwrap();
    let values = place::workspace().join("crates/testkit/tests/helm/upstream-values.yaml");
    std::fs::copy(values, dir.join("values.yaml")).unwrap();
    for (name, crd) in lockstep_api::crds::compare::upstream().unwrap() {
        let text = crd.to_string().replace("{{", "{{ \"{{\" }}");
        std::fs::write(templates.join(format!("{name}.yaml")), text).unwrap();
    }
}

/// Waits until the API server serves the kinds of ExternalSecrets and stores.
pub(crate) fn served(api: &Api) {
    until("service of the CRDs", || {
        let asked = ["", "/secretstores", "/externalsecrets"].map(|kind| {
            let found = api.get(&format!("/apis/external-secrets.io/v1{kind}"));
            found.map_or_else(|error| error.to_string(), |found| found.to_string())
        });
        let listed = ["SecretStore", "ExternalSecret"]
            .iter()
            .all(|kind| asked[0].contains(&format!("\"kind\":\"{kind}\"")));
        let served = asked[1..].iter().all(|list| list.contains("\"items\""));
        if listed && served {
            Ok(asked)
        } else {
            Err(asked)
        }
    });
}

fn release(helm: &Helm, words: &[&str]) -> String {
    let words: Vec<_> = words.iter().chain(&RELEASE).copied().collect();
    helm.release(&words, &json!({})).unwrap()
}

fn run(helm: &Helm, words: &[&str]) -> String {
    helm.run(words).unwrap()
}

#[test]
fn nothing_is_lost_by_upgrade_rollback_uninstall_and_reinstall() {
    let plane = ControlPlane::start(None).unwrap();
    let cluster: &Cluster = &plane;
    let helm = Helm::on(&cluster.admin_kubeconfig()).unwrap();
    let original = tempfile::tempdir().unwrap();
    original_chart(original.path());
    let chart = original.path().display().to_string();
    let [name, flag, namespace] = RELEASE;
    let install = [
        "install",
        name,
        &chart,
        flag,
        namespace,
        "--create-namespace",
    ];
    run(&helm, &install);
    let api = cluster.admin().unwrap();
    served(&api);
    let running = operator(cluster, &[]);
    let room = Room::new(cluster);
    room.fill();
    room.synced();
    let before = identities(&room);
    assert_eq!(before.crds.len(), 25);

    release(&helm, &["upgrade"]);
    assert_eq!(identities(&room), before, "after the upgrade");
    for crd in crds(&room.api) {
        let policy = &crd["metadata"]["annotations"]["helm.sh/resource-policy"];
        assert_eq!(policy, "keep", "{}", manifest::label(&crd));
    }

    run(&helm, &["rollback", name, "1", flag, namespace]);
    assert_eq!(identities(&room), before, "after the rollback");
    release(&helm, &["upgrade"]);
    run(&helm, &["uninstall", name, flag, namespace]);
    assert_eq!(identities(&room), before, "after the uninstall");
    let notes = release(&helm, &["install"]);
    assert_eq!(identities(&room), before, "after installing again");
    assert!(notes.contains("stay in the cluster"), "{notes}");
    assert!(!notes.contains("somebody else"), "{notes}");
    room.synced();
    drop(running);
}

#[test]
fn an_upgrade_that_stops_rendering_crds_marks_them_instead_of_deleting_them() {
    let plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &plane;
    let api = cluster.admin().unwrap();
    let helm = Helm::on(&cluster.admin_kubeconfig()).unwrap();
    let original = tempfile::tempdir().unwrap();
    original_chart(original.path());
    let chart = original.path().display().to_string();
    let [name, flag, namespace] = RELEASE;
    let install = ["install", name, &chart, flag, namespace];
    run(&helm, &[&install[..], &["--create-namespace"]].concat());
    let before = uids(&api);
    assert_eq!(before.len(), 25);

    // The original's values come along, and know nothing of `crds.keep`.
    let words = [&["upgrade", "--reuse-values"], &RELEASE[..]].concat();
    let values = json!({"installCRDs": false, "global": {"repository": IMAGE}});
    helm.release(&words, &values).unwrap();
    assert_eq!(uids(&api), before, "after the first upgrade");
    for crd in crds(&api) {
        let policy = &crd["metadata"]["annotations"]["helm.sh/resource-policy"];
        assert_eq!(policy, "keep", "{}", manifest::label(&crd));
    }

    helm.release(&words, &values).unwrap();
    assert_eq!(uids(&api), before, "after the second upgrade");
    let manifest = run(&helm, &["get", "manifest", name, flag, namespace]);
    assert!(!manifest.contains("CustomResourceDefinition"));
    run(&helm, &["uninstall", name, flag, namespace]);
    assert_eq!(uids(&api), before, "after the uninstall");
}

fn uids(api: &Api) -> BTreeMap<String, String> {
    let text = |value: &Value, pointer: &str| manifest::text(value, pointer).to_owned();
    let crds = crds(api);
    let uids = crds
        .iter()
        .map(|crd| (text(crd, "/metadata/name"), text(crd, "/metadata/uid")));
    uids.collect()
}

#[test]
fn crds_that_were_applied_beside_the_release_are_left_to_their_owner() {
    let plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &plane;
    cluster.install_crds().unwrap();
    let helm = Helm::on(&cluster.admin_kubeconfig()).unwrap();
    let words: Vec<_> = ["install", "--create-namespace"]
        .iter()
        .chain(&RELEASE)
        .copied()
        .collect();

    let values = json!({"crds": {"takeOwnership": true}});
    let refused = helm.release(&words, &values).unwrap_err().to_string();
    assert!(refused.contains("invalid ownership metadata"), "{refused}");

    let values = json!({
        "enableHTTP2": true, "crds": {"createSecretStore": false},
        "bitwarden-sdk-server": {"enabled": true, "image": {"tag": "v0.6.0"}},
    });
    let notes = helm.release(&words, &values).unwrap();
    for part in [
        "were left to them: externalsecrets.external-secrets.io",
        "enableHTTP2 (HTTP/1.1 is served)",
        "crds.createSecretStore (the CRD is needed)",
        "bitwarden-sdk-server.enabled (install that chart by itself)",
        "bitwarden-sdk-server.image (install that chart by itself)",
    ] {
        assert!(notes.contains(part), "{part} in {notes}");
    }
    let [name, flag, namespace] = RELEASE;
    run(&helm, &["uninstall", name, flag, namespace]);
    assert_eq!(crds(&cluster.admin().unwrap()).len(), 25);
}
