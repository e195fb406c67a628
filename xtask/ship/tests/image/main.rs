//! The image really runs: its files as a read-only root, its user, nothing of the machine but a network, as in a pod. It finds the API
//! server by name through DNS, syncs, and stops on SIGTERM. `LOCKSTEP_IMAGE` names the OCI layout.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod names;
mod root;

use std::path::Path;
use std::time::Duration;

use lockstep_testkit::PATIENCE;
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::kubeconfig::Access;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::poll::until_holds;
use serde_json::json;

/// A name that the API server's certificate is for, and that only our name server knows.
const API_SERVER: &str = "kubernetes.default.svc";
const OBJECTS: &str = "/apis/external-secrets.io/v1/namespaces/default";
const SECRET: &str = "/api/v1/namespaces/default/secrets/es";

#[test]
fn the_image_starts_resolves_names_syncs_and_stops() {
    let plane = ControlPlane::start(None).unwrap();
    let cluster: &Cluster = &plane;
    cluster.install_crds().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let root = root::unpacked(dir.path());
    let names = names::serve(API_SERVER);
    std::fs::write(
        root.join("etc/resolv.conf"),
        format!("nameserver {}\n", names.ip()),
    )
    .unwrap();
    kubeconfig(cluster, &root);
    let program = root::program(dir.path(), &root);

    let log = dir.path().join("log");
    let mut operator = Operator::start(
        &program,
        Path::new("/kubeconfig"),
        &["--namespace=default"],
        &log,
    )
    .unwrap();
    operator.healthy().unwrap();
    fill(&cluster.admin().unwrap());
    synced(&cluster.admin().unwrap(), &log);

    assert!(names.asked() > 0, "nobody asked for {API_SERVER}");
    assert_eq!(root::user_of(operator.id()), root::user());
    let (took, status) = operator.terminate().unwrap();
    assert!(status.success(), "{status}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A kubeconfig inside the root that names the API server as pods do.
fn kubeconfig(cluster: &Cluster, root: &Path) {
    let mut access = Access::read(&cluster.operator_kubeconfig()).unwrap();
    access.server = access.server.replace("127.0.0.1", API_SERVER);
    let path = root.join("kubeconfig");
    access.write(&path, "operator", "external-secrets").unwrap();
    root::readable(&path);
}

fn fill(api: &Api) {
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "store"},
        "spec": {"provider": {"fake": {"data": [{"key": "k", "value": "v"}]}}},
    });
    api.post(&format!("{OBJECTS}/secretstores"), &store)
        .unwrap();
    let object = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    });
    api.post(&format!("{OBJECTS}/externalsecrets"), &object)
        .unwrap();
}

fn synced(api: &Api, log: &Path) {
    let synced = until_holds(PATIENCE, || api.find(SECRET).unwrap().is_some());
    let written = std::fs::read_to_string(log).unwrap();
    assert!(synced.is_some(), "no Secret; the log says:\n{written}");
}
