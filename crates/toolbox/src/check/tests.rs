use serde_json::{Value, json};

use super::inventory::Inventory;
use super::report::Report;
use super::{KnownFlag, not_served, source};

fn known() -> Vec<KnownFlag> {
    let flag = |name: &str, has_effect| KnownFlag {
        name: name.to_owned(),
        has_effect,
    };
    vec![flag("--concurrent", true), flag("--enable-http2", false)]
}

fn report(text: &str) -> Report {
    report_with(text, &Value::Null)
}

fn report_with(text: &str, values: &Value) -> Report {
    let mut input = source::Input::default();
    input.add("input", text);
    let known = known();
    let mut inventory = Inventory::new(&known);
    for object in &input.objects {
        inventory.add(&object.value);
    }
    inventory.add_values(values);
    Report::new(inventory, input.faults)
}

/// Area, name, verdict and count of each row.
fn rows(report: &Report) -> Vec<String> {
    let document = report.json();
    let rows = document["rows"].as_array().cloned().unwrap_or_default();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let line = |row: &Value| {
        let words = ["area", "name", "verdict"].map(|field| text(row, field));
        format!("{} {}", words.join(" "), row["count"])
    };
    rows.iter().map(line).collect()
}

/// As `kubectl get --output yaml` prints it.
const LIST: &str = "
apiVersion: v1
kind: List
items:
- apiVersion: external-secrets.io/v1
  kind: SecretStore
  metadata: {name: good, namespace: a}
  spec: {provider: {fake: {data: []}}}
- apiVersion: external-secrets.io/v1
  kind: ClusterSecretStore
  metadata: {name: bad}
  spec: {provider: {onepasswordSDK: {}}}
- apiVersion: external-secrets.io/v1
  kind: ExternalSecret
  metadata: {name: one, namespace: a}
  spec: {secretStoreRef: {name: good}}
- apiVersion: external-secrets.io/v1
  kind: ExternalSecret
  metadata: {name: two, namespace: b}
  spec: {dataFrom: [{sourceRef: {storeRef: {name: bad, kind: ClusterSecretStore}}}]}
";

#[test]
fn a_list_of_kubectl_is_counted_by_kind_and_provider() {
    let report = report(LIST);

    assert_eq!(
        rows(&report),
        [
            "kind ClusterSecretStore served 1",
            "kind ExternalSecret served 2",
            "kind SecretStore served 1",
            "provider fake served 1",
            "provider onepasswordSDK notServed 1",
        ]
    );
    assert_eq!(report.exit_code(), 1);
}

#[test]
fn what_reads_through_a_store_that_is_not_served_is_named() {
    let table = report(LIST).table();

    assert!(
        table
            .contains("not in this build; ClusterSecretStore bad; used by 1: ExternalSecret b/two"),
        "{table}"
    );
}

#[test]
fn an_installation_that_is_served_wholly_passes() {
    let text = LIST.replace("onepasswordSDK: {}", "fake: {data: []}");
    let report = report(&text);

    assert_eq!(report.exit_code(), 0);
    assert_eq!(report.json()["served"], true);
}

#[test]
fn versions_that_are_not_served_are_found_among_those_that_are() {
    let text = LIST.replacen(
        "external-secrets.io/v1\n  kind: ExternalSecret",
        "external-secrets.io/v1beta1\n  kind: ExternalSecret",
        1,
    );
    let report = report(&text);

    let rows = rows(&report);
    assert!(rows.contains(&"kind ExternalSecret served 1".to_owned()));
    assert!(rows.contains(&"kind ExternalSecret v1beta1 notServed 1".to_owned()));
    let table = report.table();
    assert!(table.contains("write external-secrets.io/v1; ExternalSecret a/one"));
    let mut lines = table.lines();
    let line = lines.find(|line| line.contains("v1beta1")).unwrap();
    assert!(!line.contains("b/two"), "{line}");
}

#[test]
fn generators_count_by_what_they_make_inside_a_cluster_generator_too() {
    let report = report(
        "
apiVersion: generators.external-secrets.io/v1alpha1
kind: ClusterGenerator
metadata: {name: g}
spec: {kind: LaterAccessToken}
---
apiVersion: generators.external-secrets.io/v1alpha1
kind: Password
metadata: {name: p, namespace: a}
",
    );

    assert_eq!(
        rows(&report),
        [
            "generator LaterAccessToken notServed 1",
            "generator Password served 1"
        ]
    );
}

#[test]
fn flags_of_a_deployment_are_known_ignored_or_refused() {
    let report = report(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {name: external-secrets, namespace: es}
spec:
  template:
    spec:
      containers:
      - image: ghcr.io/external-secrets/external-secrets:v2.9.0
        args: [--concurrent=5, --enable-http2, --frobnicate=1]
      - image: example.org/sidecar
        args: [--other]
",
    );

    assert_eq!(
        rows(&report),
        [
            "flag --concurrent served 1",
            "flag --enable-http2 ignored 1",
            "flag --frobnicate notServed 1",
        ]
    );
}

#[test]
fn values_of_a_release_are_held_against_the_chart() {
    let values = json!({
        "replicaCount": 2,
        "nodeSelector": {"disk": "ssd"},
        "enableHTTP2": true,
        "nonsense": {"a": 1},
        "image": {"flavour": "distroless", "repository": "ghcr.io/external-secrets/external-secrets"},
        "extraArgs": {"frobnicate": 1},
    });
    let report = report_with("", &values);

    assert_eq!(
        rows(&report),
        [
            "flag --frobnicate notServed 1",
            "value enableHTTP2 ignored 1",
            "value extraArgs served 1",
            "value image.flavour notServed 1",
            "value image.repository notServed 1",
            "value nodeSelector served 1",
            "value nonsense ignored 1",
            "value replicaCount served 1",
        ]
    );
}

#[test]
fn a_document_that_cannot_be_read_does_not_pass() {
    let report = report(&format!("{LIST}---\nkind: [\n").replace("onepasswordSDK", "fake"));

    assert_eq!(report.exit_code(), 1);
    assert!(report.table().contains("fault: input:"));
}

#[test]
fn values_are_read_as_helm_prints_them_with_and_without_a_heading() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.yaml");
    for text in [
        "replicaCount: 2\n",
        "USER-SUPPLIED VALUES:\nreplicaCount: 2\n",
    ] {
        std::fs::write(&file, text).unwrap();

        assert_eq!(super::helm::read(&file), Ok(json!({"replicaCount": 2})));
    }
    std::fs::write(&file, "USER-SUPPLIED VALUES:\nnull\n").unwrap();
    assert_eq!(super::helm::read(&file), Ok(Value::Null));
}

#[test]
fn what_is_not_served_is_told_with_who_is_concerned() {
    let objects = [
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": "s", "namespace": "a"}, "spec": {"provider": {"unheard": {}}},
        }),
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": "x", "namespace": "a"}, "spec": {"secretStoreRef": {"name": "s"}},
        }),
    ];

    assert_eq!(
        not_served(&objects),
        ["provider unheard: unknown provider; SecretStore a/s; used by 1: ExternalSecret a/x"]
    );
}
