//! A scrape of an operator in trouble, as Prometheus stores it with and without `honorLabels`.

use serde_json::{Value, json};

/// When everything is evaluated, in seconds; samples are from every half minute before.
pub(super) const AT: u64 = 7_200;

/// How a scrape treats labels that the target has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HonorLabels {
    Yes,
    No,
}

/// A counter or gauge as Prometheus stores it: with the labels of the target, which win unless
/// labels are honoured; the metric's own then get the prefix `exported_`. Empty labels are none.
fn scraped(honor: HonorLabels, name: &str, labels: &[(&str, &str)], rising: bool) -> Value {
    let mut all = json!({
        "__name__": name, "job": "external-secrets-metrics", "instance": "10.0.0.1:8080",
        "namespace": "operators", "pod": "external-secrets-1", "container": "external-secrets",
    });
    for (key, value) in labels.iter().filter(|(_, value)| !value.is_empty()) {
        match (all.get(*key), honor) {
            (Some(_), HonorLabels::No) => all[format!("exported_{key}")] = json!(value),
            _ => all[*key] = json!(value),
        }
    }
    let times = (0..=AT).step_by(30);
    let samples: Vec<_> = times
        .map(|at| json!([at, if rising { at } else { 1_000 }]))
        .collect();
    json!({"labels": all, "samples": samples})
}

/// A scrape in which everything is wrong: each alert has a reason.
pub(super) fn troubled(honor: HonorLabels) -> Vec<Value> {
    let object = [("namespace", "team-a"), ("name", "es")];
    let not_ready = [&object[..], &[("condition", "Ready"), ("status", "False")]].concat();
    let cluster = [
        ("kind", "ClusterSecretStore"),
        ("namespace", ""),
        ("name", "shared"),
    ];
    let own = [
        ("kind", "SecretStore"),
        ("namespace", "team-a"),
        ("name", "own"),
    ];
    let mut all = Vec::new();
    for kind in [
        "externalsecret",
        "pushsecret",
        "secretstore",
        "clustersecretstore",
    ] {
        let name = format!("{kind}_status_condition");
        let mut series = scraped(honor, &name, &not_ready, false);
        for sample in series["samples"].as_array_mut().unwrap() {
            sample[1] = json!(1);
        }
        all.push(series);
    }
    for store in [cluster, own] {
        let quantile = [&store[..], &[("quantile", "1")]].concat();
        all.push(scraped(
            honor,
            "lockstep_staleness_seconds",
            &quantile,
            false,
        ));
        all.push(scraped(honor, "lockstep_overdue_seconds", &store, false));
        all.push(scraped(honor, "lockstep_held_deletions", &store, false));
        all.push(scraped(honor, "lockstep_store_breaker_open", &store, false));
    }
    let calls = [&own[..], &[("call", "get"), ("status", "error")]].concat();
    all.push(scraped(
        honor,
        "lockstep_provider_calls_total",
        &calls,
        true,
    ));
    all.push(scraped(
        honor,
        "externalsecret_sync_calls_total",
        &object,
        true,
    ));
    let api = [("provider", "aws"), ("call", "Get"), ("status", "error")];
    all.push(scraped(
        honor,
        "externalsecret_provider_api_calls_count",
        &api,
        true,
    ));
    all.push(scraped(honor, "lockstep_open_breakers", &[], false));
    let controller = [("controller", "externalsecret")];
    all.push(scraped(
        honor,
        "lockstep_queue_oldest_seconds",
        &controller,
        false,
    ));
    let panics = "controller_runtime_reconcile_panics_total";
    all.push(scraped(honor, panics, &controller, true));
    all
}
