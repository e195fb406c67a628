//! Starting in any order, and stopping in time.

use std::time::Duration;

use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use serde_json::{Value, json};

use crate::process::{Room, operator, started, until};

#[test]
fn an_operator_started_before_the_crds_waits_for_them_by_name_and_then_works() {
    let control_plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &control_plane;
    let mut operator = operator(cluster, &[]);
    operator.healthy().unwrap();

    let waiting = until("a reason in /readyz", || {
        match operator.probe("/readyz").unwrap() {
            (503, body) if body.contains("is the CRD installed?") => Ok(body),
            (_, body) => Err(body),
        }
    });
    assert!(
        waiting.contains("externalsecrets.external-secrets.io"),
        "{waiting}"
    );

    cluster.install_crds().unwrap();
    until("readiness", || match operator.probe("/readyz").unwrap() {
        (200, body) => Ok(body),
        (_, body) => Err(body),
    });
    let room = Room::new(cluster);
    room.fill();
    room.synced();
    operator.check().unwrap();
}

const CRD: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/externalsecrets.external-secrets.io";

#[test]
fn a_crd_that_terminates_at_the_start_is_outlived_and_its_successor_is_used() {
    let control_plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &control_plane;
    cluster.install_crds().unwrap();
    let room = Room::new(cluster);
    room.fill();
    let path = room.api.path_of(&room.external_secret("es")).unwrap();
    let held = json!({"metadata": {"finalizers": ["example.org/held"]}});
    room.api.merge(&path, &held).unwrap();
    room.api.delete(CRD).unwrap();
    until("a terminating CRD", || {
        let found = room.api.get(CRD).unwrap();
        let conditions = found["status"]["conditions"].to_string();
        let terminating = r#""status":"True","type":"Terminating""#;
        if conditions.contains(terminating) {
            Ok(conditions)
        } else {
            Err(conditions)
        }
    });
    let mut operator = operator(cluster, &[]);
    operator.healthy().unwrap();

    room.api
        .merge(&path, &json!({"metadata": {"finalizers": null}}))
        .unwrap();
    until("absence of the CRD", || match room.api.find(CRD).unwrap() {
        None => Ok(None),
        found => Err(found),
    });
    let missing =
        "the server does not know externalsecrets.external-secrets.io; is the CRD installed?";
    until("a word about the CRD", || {
        let (_, report) = operator.probe("/readyz?verbose").unwrap();
        if report.contains(missing) {
            Ok(report)
        } else {
            Err(report)
        }
    });
    assert!(operator.logged().contains(missing));

    cluster.install_crds().unwrap();
    room.fill();
    room.synced();
    operator.check().unwrap();
}

#[test]
fn crds_of_the_original_are_worked_with_and_named_with_the_remedy() {
    let control_plane = ControlPlane::start_bare().unwrap();
    let cluster: &Cluster = &control_plane;
    let theirs = lockstep_api::crds::compare::upstream().unwrap();
    let theirs: Vec<Value> = theirs.into_values().collect();
    cluster.install(&theirs).unwrap();
    let mut operator = operator(cluster, &[]);
    operator.healthy().unwrap();
    until("service of the CRDs", || {
        match operator.probe("/readyz").unwrap() {
            (200, body) => Ok(body),
            (_, body) => Err(body),
        }
    });
    let room = Room::new(cluster);
    room.fill();
    room.synced();

    let log = operator.logged();
    assert!(
        log.contains("lockstep crds | kubectl apply --server-side"),
        "{log}"
    );
    assert_eq!(
        room.external_secret("es")["status"]["observedGeneration"],
        json!(null)
    );
}

#[test]
fn an_api_server_that_is_down_is_waited_for_and_named() {
    let free = lockstep_testkit::port::free().unwrap();
    let kubeconfig = std::env::temp_dir().join(format!("lockstep-down-{}.yaml", free.port()));
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
         clusters: [{{name: c, cluster: {{server: \"https://{free}\"}}}}]\n\
         contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
         users: [{{name: u, user: {{token: t}}}}]\n"
    );
    std::fs::write(&kubeconfig, text).unwrap();
    let mut operator = started(&kubeconfig, &[]);
    operator.healthy().unwrap();

    let waiting = until("a reason in /readyz", || {
        match operator.probe("/readyz").unwrap() {
            (503, body) if body.contains("cannot reach the API server") => Ok(body),
            (_, body) => Err(body),
        }
    });

    assert!(waiting.contains("secretstores"), "{waiting}");
    operator.check().unwrap();
}

#[test]
fn a_stop_takes_less_than_two_seconds() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    room.fill();
    let stop = || {
        let mut operator = operator(cluster, &[&room.flag()]);
        operator.healthy().unwrap();
        room.synced();
        let (took, status) = operator.terminate().unwrap();
        assert!(status.success(), "{status}");
        took
    };

    // A busy machine may stand still for as long once, but hardly five times.
    let quickest = (0..5)
        .map(|_| stop())
        .find(|took| *took < Duration::from_secs(2));

    assert!(quickest.is_some());
}

#[test]
fn an_unknown_flag_is_refused_by_name() {
    let program = env!("CARGO_BIN_EXE_lockstep");

    let output = std::process::Command::new(program)
        .arg("--no-such-flag")
        .output()
        .unwrap();

    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-such-flag"));
}
