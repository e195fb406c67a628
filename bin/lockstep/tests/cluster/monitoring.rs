//! The dashboard and the alerts of the chart ask for metrics that are really exported.

use std::collections::BTreeSet;

use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::helm::Helm;
use serde_json::Value;

use crate::process::{Room, operator};

/// Exported once there is something to count, which is not here: reviews, seen by the tests of the
/// webhook, and calls to a backend, seen by those of the metrics.
const ELSEWHERE: [&str; 2] = [
    "controller_runtime_webhook_requests_total",
    "externalsecret_provider_api_calls_count",
];

/// How names of metrics begin.
const PREFIXES: [&str; 8] = [
    "clustersecretstore_",
    "controller_runtime_",
    "externalsecret_",
    "leader_election_",
    "process_",
    "rest_client_",
    "secretstore_",
    "workqueue_",
];

#[test]
fn the_dashboard_and_the_alerts_ask_for_metrics_that_are_exported() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let mut operator = operator(cluster, &[&room.flag()]);
    operator.healthy().unwrap();
    room.fill();
    room.synced();
    let scrape = operator.metrics().unwrap();

    let asked = asked_for();

    assert!(asked.len() > 10, "{asked:?}");
    for name in asked {
        let family = name.strip_suffix("_bucket").unwrap_or(&name);
        let exported = scrape.contains(&format!("# TYPE {family} "));
        assert!(exported || ELSEWHERE.contains(&family), "{name}");
    }
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
