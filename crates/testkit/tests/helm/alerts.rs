//! Prometheus itself reads the alerts and the dashboard's queries: its own parsers, in a small program
//! around them. Whether the metrics exist is seen by the operator's tests.

use std::io::Write;
use std::process::{Command, Stdio};

use lockstep_testkit::helm::{Helm, find};
use lockstep_testkit::program::Program;
use serde_json::{Value, json};

use crate::rendered;

fn check(rules: &str, queries: &[String]) -> (bool, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), rules).unwrap();
    let mut child = Command::new(Program::PromCheck.ready().unwrap())
        .arg(file.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = serde_json::to_string(queries).unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), printed)
}

/// Queries of all panels, with Grafana's variables filled in.
fn queries() -> Vec<String> {
    let path = Helm::chart().join("files/dashboard.json");
    let board: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let panels = board["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    targets
        .map(|target| target["expr"].as_str().unwrap())
        .map(|query| {
            query
                .replace("$__rate_interval", "5m")
                .replace("$namespace", ".*")
        })
        .collect()
}

#[test]
fn prometheus_reads_the_alerts_and_the_queries() {
    let objects = rendered(&json!({"prometheusRule": {"enabled": true}}));
    let rule = find(&objects, "PrometheusRule", "external-secrets-alerts").unwrap();
    let rules = rule["spec"].to_string();

    let (good, printed) = check(&rules, &queries());

    assert!(good, "{printed}");
    assert!(printed.starts_with("10 rules and "), "{printed}");
}

#[test]
fn what_prometheus_cannot_read_is_named() {
    let rules = json!({"groups": [{"name": "g", "rules": [{"alert": "A", "expr": "sum(("}]}]});

    let (good, printed) = check(&rules.to_string(), &["rate(x)".to_owned()]);

    assert!(!good);
    assert!(printed.contains("unclosed left parenthesis"), "{printed}");
    assert!(printed.contains("expected type range vector"), "{printed}");
}

#[test]
fn panels_do_not_cover_each_other() {
    let path = Helm::chart().join("files/dashboard.json");
    let board: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let places: Vec<[u64; 4]> = board["panels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|panel| ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().unwrap()))
        .collect();
    for (number, [x, y, w, h]) in places.iter().enumerate() {
        assert!(x + w <= 24, "panel {number} is too wide");
        for [ox, oy, ow, oh] in &places[..number] {
            let beside = x + w <= *ox || ox + ow <= *x || y + h <= *oy || oy + oh <= *y;
            assert!(beside, "panel {number} covers another");
        }
    }
}
