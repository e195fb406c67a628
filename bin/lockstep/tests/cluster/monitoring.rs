//! The dashboard, the alerts and the page of metrics name what is really exported, and staleness,
//! calls and waiting are seen by store and namespace.

use std::collections::BTreeSet;

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::helm::Helm;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::place;
use lockstep_testkit::stub::{Answer, Stub};
use serde_json::{Value, json};

use crate::process::{Room, operator, until};

/// Exported by the webhook, seen by its own tests.
const OF_THE_WEBHOOK: &str = "controller_runtime_webhook_";
/// Exported with leader election only.
const OF_LEADERS: &str = "leader_election_master_status";
/// Exported by operators that serve all namespaces.
const OF_WHOLE_CLUSTERS: [&str; 2] = ["clusterexternalsecret_", "clusterpushsecret_"];

/// How names of metrics begin.
const PREFIXES: [&str; 10] = [
    "clustersecretstore_",
    "controller_runtime_",
    "externalsecret_",
    "leader_election_",
    "lockstep_",
    "process_",
    "pushsecret_",
    "rest_client_",
    "secretstore_",
    "workqueue_",
];

/// An operator that has synced from an HTTP backend, whose calls are counted.
fn synced(room: &Room, cluster: &Cluster, backend: &Stub) -> Operator {
    let mut operator = operator(cluster, &[&room.flag()]);
    operator.healthy().unwrap();
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "store"},
        "spec": {"provider": {"webhook": {
            "url": format!("{}/{{{{ .remoteRef.key }}}}", backend.url()),
            "result": {"jsonPath": "$.value"},
        }}},
    }));
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": "es"},
        "spec": {
            "refreshInterval": "1h", "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    }));
    room.synced();
    operator
}

fn backend() -> Stub {
    Stub::start(|_| Answer::json(200, &json!({"value": "v"}))).unwrap()
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_metrics_that_are_exported() {
    let cluster = Cluster::shared().unwrap();
    let (room, backend) = (Room::new(cluster), backend());
    let operator = synced(&room, cluster, &backend);
    let exported = exported(&operator.metrics().unwrap());

    let asked = asked_for();

    assert!(asked.len() > 15, "{asked:?}");
    for name in asked {
        let family = name.strip_suffix("_bucket").unwrap_or(&name);
        let known = exported.contains(family) || family.starts_with(OF_THE_WEBHOOK);
        assert!(known, "{name} among {exported:?}");
    }
}

#[test]
fn the_page_of_metrics_lists_exactly_what_is_exported() {
    let cluster = Cluster::shared().unwrap();
    let (room, backend) = (Room::new(cluster), backend());
    let operator = synced(&room, cluster, &backend);
    let exported = exported(&operator.metrics().unwrap());
    let page = std::fs::read_to_string(place::workspace().join("docs/metrics.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: BTreeSet<_> = rows
        .filter_map(|row| Some(row.split_once('`')?.0.to_owned()))
        .collect();

    let missing: Vec<_> = exported.difference(&listed).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
    let invented = listed.difference(&exported);
    let invented: Vec<_> = invented
        .filter(|name| !name.starts_with(OF_THE_WEBHOOK) && *name != OF_LEADERS)
        .filter(|name| {
            !OF_WHOLE_CLUSTERS
                .iter()
                .any(|prefix| name.starts_with(prefix))
        })
        .collect();
    assert!(invented.is_empty(), "not exported: {invented:?}");
}

#[test]
fn the_first_log_line_and_a_metric_name_the_build() {
    let cluster = Cluster::shared().unwrap();
    let (room, backend) = (Room::new(cluster), backend());
    let operator = synced(&room, cluster, &backend);

    let log = operator.logged();
    let line = log
        .lines()
        .find(|line| line.contains(r#""msg":"starting""#));
    let line: Value = serde_json::from_str(line.unwrap()).unwrap();
    let text = |field: &str| line[field].as_str().unwrap().to_owned();
    let (version, commit, providers) = (text("version"), text("commit"), text("providers"));
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(providers.contains("webhook"), "{providers}");
    let labels = format!(r#"version="{version}",commit="{commit}",providers="{providers}""#);
    let series = format!("lockstep_build_info{{{labels}}} 1");
    let metrics = operator.metrics().unwrap();
    assert!(metrics.contains(&series), "{series}");
}

#[test]
fn staleness_and_calls_are_told_by_store_and_namespace() {
    let cluster = Cluster::shared().unwrap();
    let (room, backend) = (Room::new(cluster), backend());
    let operator = synced(&room, cluster, &backend);
    let namespace = &room.namespace;
    let store = format!(r#"kind="SecretStore",namespace="{namespace}",name="store""#);

    let value = |series: &str| -> Option<f64> {
        let text = operator.metrics().unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(series))?;
        line.trim().parse().ok()
    };

    let oldest = format!(r#"lockstep_staleness_seconds{{{store},quantile="1"}}"#);
    until("an age above zero", || match value(&oldest) {
        Some(age) if age > 0.0 => Ok(Some(age)),
        other => Err(other),
    });
    assert!(value(&oldest).unwrap() < 600.0);
    assert_eq!(
        value(&format!("lockstep_overdue_seconds{{{store}}}")),
        Some(0.0)
    );
    let reads = r#"call="get",status="success""#;
    let reads = value(&format!("lockstep_provider_calls_total{{{store},{reads}}}"));
    assert!(reads >= Some(1.0), "{reads:?}");
    let waiting = r#"lockstep_queue_oldest_seconds{controller="externalsecret"}"#;
    assert_eq!(value(waiting), Some(0.0));
}

/// Names of all families of a scrape.
fn exported(scrape: &str) -> BTreeSet<String> {
    let types = scrape
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    let names = types.filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// Every name of a metric in the queries of the dashboard and the alerts.
fn asked_for() -> BTreeSet<String> {
    let files = Helm::chart().join("files");
    let board = std::fs::read_to_string(files.join("dashboard.json")).unwrap();
    let board: Value = serde_json::from_str(&board).unwrap();
    let panels = board["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut queries: Vec<_> = targets
        .map(|target| target["expr"].as_str().unwrap().to_owned())
        .collect();
    for variable in board["templating"]["list"].as_array().unwrap() {
        queries.push(variable["query"].as_str().unwrap().to_owned());
    }
    let alerts = lockstep_testkit::manifest::read(&files.join("alerts.yaml")).unwrap();
    for rule in alerts[0]["groups"][0]["rules"].as_array().unwrap() {
        queries.push(rule["expr"].as_str().unwrap().to_owned());
    }
    let words = queries.iter().flat_map(|query| {
        query.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'))
    });
    words
        .filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}
