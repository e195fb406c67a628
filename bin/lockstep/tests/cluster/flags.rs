//! Flags whose effect is seen from outside, and flags that contradict each other.

use std::process::Command;

use lockstep_testkit::controlplane::Cluster;
use serde_json::json;

use crate::process::{Room, operator, until};

#[test]
fn flags_that_make_no_sense_end_the_start_and_are_named() {
    for (given, named) in [
        (&["--metrics-auth"][..], "--metrics-secure"),
        (&["--loglevel=loud"], "--loglevel"),
        (&["--enable-flood-gate=perhaps"], "--enable-flood-gate"),
        (
            &["--store-requeue-interval=soon"],
            "--store-requeue-interval",
        ),
        (&["--deletion-guard=maybe"], "--deletion-guard"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(given)
            .env("KUBECONFIG", "/no/such/file")
            .output()
            .unwrap();

        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{given:?}");
        assert!(told.contains(named), "{given:?}: {told}");
    }
}

#[test]
fn labels_of_metrics_copied_metadata_and_times_of_the_log_follow_their_flags() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    room.fill();
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {
            "name": "es",
            "labels": {"app.kubernetes.io/name": "shop", "app.kubernetes.io/instance": "argo"},
            "annotations": {"argocd.argoproj.io/tracking-id": "x", "team": "blue"},
        },
        "spec": {
            "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    }));
    let operator = operator(
        cluster,
        &[
            &room.flag(),
            "--enable-extended-metric-labels",
            "--drop-gitops-metadata",
            "--zap-time-encoding=rfc3339",
            "--enable-http2",
        ],
    );
    room.synced();

    let metadata = &room.secret("es").unwrap()["metadata"];
    assert_eq!(metadata["labels"]["app.kubernetes.io/name"], "shop");
    assert_eq!(
        metadata["labels"]["app.kubernetes.io/instance"],
        json!(null)
    );
    assert_eq!(metadata["annotations"]["team"], "blue");
    assert_eq!(
        metadata["annotations"]["argocd.argoproj.io/tracking-id"],
        json!(null)
    );
    until("a series with the object's labels", || {
        let metrics = operator.metrics().unwrap_or_default();
        let labelled = metrics.lines().any(|line| {
            line.starts_with("externalsecret_status_condition{")
                && line.contains(r#"app_kubernetes_io_name="shop""#)
        });
        if labelled { Ok(()) } else { Err(()) }
    });
    let log = operator.logged();
    let line = log
        .lines()
        .find(|line| line.contains("\"starting\""))
        .unwrap();
    assert!(line.contains(r#""ts":"20"#), "{line}");
    let unused = log.lines().filter(|line| line.contains("--enable-http2"));
    assert_eq!(unused.count(), 1, "{log}");
}
