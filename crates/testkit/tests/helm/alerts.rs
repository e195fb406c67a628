//! Prometheus itself reads and evaluates the alerts and the dashboard's queries: its own parser and engine,
//! in a small program around them. Whether the metrics exist is seen by the operator's tests.

mod scrape;

use std::io::Write;
use std::process::{Command, Stdio};

use lockstep_testkit::helm::{Helm, find};
use lockstep_testkit::program::Program;
use serde_json::{Value, json};

use crate::rendered;
use scrape::{AT, HonorLabels, troubled};

fn check(rules: &str, input: &Value) -> (bool, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), rules).unwrap();
    let mut child = Command::new(Program::PromCheck.ready().unwrap())
        .arg(file.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), printed)
}

fn board() -> Value {
    let path = Helm::chart().join("files/dashboard.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn rules() -> String {
    let objects = rendered(&json!({"prometheusRule": {"enabled": true}}));
    let rule = find(&objects, "PrometheusRule", "external-secrets-alerts").unwrap();
    rule["spec"].to_string()
}

/// Queries of all panels, with Grafana's variables filled in.
fn queries(namespace: &str) -> Vec<String> {
    let board = board();
    let panels = board["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    targets
        .map(|target| target["expr"].as_str().unwrap())
        .map(|query| {
            query
                .replace("$__rate_interval", "5m")
                .replace("$namespace", namespace)
        })
        .collect()
}

#[test]
fn prometheus_reads_the_alerts_and_the_queries() {
    let (good, printed) = check(&rules(), &json!({"expressions": queries(".*")}));

    assert!(good, "{printed}");
    assert!(printed.starts_with("10 rules and "), "{printed}");
}

#[test]
fn what_prometheus_cannot_read_is_named() {
    let rules = json!({"groups": [{"name": "g", "rules": [{"alert": "A", "expr": "sum(("}]}]});

    let (good, printed) = check(&rules.to_string(), &json!({"expressions": ["rate(x)"]}));

    assert!(!good);
    assert!(printed.contains("unclosed left parenthesis"), "{printed}");
    assert!(printed.contains("expected type range vector"), "{printed}");
}

#[test]
fn panels_do_not_cover_each_other() {
    let places: Vec<[u64; 4]> = board()["panels"]
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

/// What Prometheus makes of the troubled scrape.
fn evaluated(honor: HonorLabels, expressions: &[String]) -> Value {
    let input = json!({"series": troubled(honor), "at": AT, "expressions": expressions});
    let (good, printed) = check(&rules(), &input);
    assert!(good, "{printed}");
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn alerts_name_the_objects_namespace_whether_or_not_labels_are_honoured() {
    for honor in [HonorLabels::Yes, HonorLabels::No] {
        let found = evaluated(honor, &[]);

        let mut seen: Vec<_> = found["alerts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|alert| {
                let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
                let namespace = text(&alert["labels"]["namespace"]);
                [text(&alert["alert"]), namespace, text(&alert["summary"])].join(" | ")
            })
            .filter(|alert| !alert.starts_with("ClusterSecretStoreNotReady"))
            .collect();
        seen.sort();
        assert_eq!(
            seen,
            [
                "ExternalSecretNotReady | team-a | ExternalSecret team-a/es is not ready",
                "ExternalSecretsBackendUnreachable | - | The backend of ClusterSecretStore shared cannot be reached",
                "ExternalSecretsBackendUnreachable | team-a | The backend of SecretStore own cannot be reached",
                "ExternalSecretsDeletionHeld | - | Many secrets of ClusterSecretStore shared vanished at once",
                "ExternalSecretsDeletionHeld | team-a | Many secrets of SecretStore own vanished at once",
                "ExternalSecretsProviderErrors | - | More than a tenth of the Get calls to aws fail",
                "ExternalSecretsQueueOld | - | Objects of externalsecret wait in the queue",
                "ExternalSecretsRunsPanic | operators | Reconciles of externalsecret panic",
                "ExternalSecretsStale | - | ExternalSecrets of ClusterSecretStore shared are not refreshed",
                "ExternalSecretsStale | team-a | ExternalSecrets of SecretStore own are not refreshed",
                "PushSecretNotReady | team-a | PushSecret team-a/es is not ready",
                "SecretStoreNotReady | team-a | SecretStore team-a/es cannot be used",
            ],
            "{honor:?}"
        );
    }
}

#[test]
fn the_dashboard_selects_by_the_objects_namespace_whether_or_not_labels_are_honoured() {
    let all = queries("team-a");
    let chosen: Vec<_> = all
        .iter()
        .filter(|query| query.contains("team-a") && !query.contains("status=\"True\""))
        .filter(|query| !query.contains("sync_calls_error"))
        .cloned()
        .collect();
    assert!(chosen.len() >= 6, "{chosen:?}");
    for honor in [HonorLabels::Yes, HonorLabels::No] {
        let found = evaluated(honor, &chosen);
        for (query, result) in chosen.iter().zip(found["results"].as_array().unwrap()) {
            assert_eq!(
                result.as_array().unwrap().len(),
                1,
                "{honor:?} {query}: {result}"
            );
            if let Some(namespace) = result[0].get("namespace") {
                assert_eq!(namespace, "team-a", "{honor:?} {query}");
            }
        }
        let other: Vec<_> = chosen
            .iter()
            .filter(|query| !query.contains("vector(0)"))
            .map(|query| query.replace("team-a", "team-b"))
            .collect();
        for result in evaluated(honor, &other)["results"].as_array().unwrap() {
            assert_eq!(*result, json!([]), "{honor:?}");
        }
    }
}

#[test]
fn the_dashboard_offers_the_namespaces_of_objects() {
    let board = board();
    let variables = board["templating"]["list"].as_array().unwrap();
    let variable = variables.iter().find(|one| one["name"] == "namespace");
    let query = variable.unwrap()["query"].as_str().unwrap();
    let query = query.strip_prefix("query_result(").unwrap();
    let query = query.strip_suffix(')').unwrap().to_owned();

    for honor in [HonorLabels::Yes, HonorLabels::No] {
        let found = evaluated(honor, std::slice::from_ref(&query));
        assert_eq!(
            found["results"],
            json!([[{"namespace": "team-a"}]]),
            "{honor:?}"
        );
    }
}
