//! Every value of the original chart is there with its default and does something; what does nothing
//! is on a list.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_testkit::helm::{Helm, Render};
use serde_json::{Value, json};

use crate::{merged, try_rendered, yaml};

/// Defaults that differ from the original chart's, and no others.
const CHANGED: [&str; 7] = [
    "certController.create",
    "certController.image.repository",
    "certController.readinessProbe.initialDelaySeconds",
    "image.repository",
    "webhook.failurePolicy",
    "webhook.image.repository",
    "webhook.readinessProbe.initialDelaySeconds",
];

/// Accepted, and without effect on what is rendered. NOTES tell of them.
const IDLE: [&str; 4] = [
    "bitwarden-sdk-server.enabled",
    "bitwarden-sdk-server.namespaceOverride",
    "crds.conversion.enabled",
    "crds.createSecretStore",
];

/// What acts only on a cluster, or by what the cluster has; other tests show it.
const ELSEWHERE: [&str; 3] = [
    "crds.keep",
    "crds.takeOwnership",
    "serviceMonitor.renderMode",
];

#[test]
fn every_value_of_the_original_chart_is_there_with_its_default() {
    let original = leaves(&yaml(&tests().join("upstream-values.yaml")));
    let ours = leaves(&yaml(&Helm::chart().join("values.yaml")));
    let ours: std::collections::BTreeMap<_, _> = ours.into_iter().collect();

    let mut different = BTreeSet::new();
    for (path, default) in &original {
        let found = ours.get(path);
        assert!(found.is_some(), "{path} is missing");
        if found != Some(default) {
            different.insert(path.as_str());
        }
    }
    assert_eq!(different, BTreeSet::from(CHANGED));
}

#[test]
fn every_value_changes_the_rendering_or_is_listed_as_idle() {
    let defaults = yaml(&Helm::chart().join("values.yaml"));
    let mut all = leaves(&defaults);
    all.retain(|(path, _)| !ELSEWHERE.contains(&path.as_str()));
    let scenes = scenes();
    let helm = Helm::ready().unwrap();
    let plain: Vec<_> = scenes.iter().map(|scene| text(&helm, scene)).collect();
    let (next, idle) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));

    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let helm = Helm::ready().unwrap();
                while let Some((path, _)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let acts = scenes.iter().zip(&plain).any(|(scene, plain)| {
                        let now = at(&merged(&defaults, scene), path);
                        let other = merged(scene, &wrapped(path, changed(path, &now)));
                        text(&helm, &other) != *plain
                    });
                    if !acts {
                        idle.lock().unwrap().insert(path.clone());
                    }
                }
            });
        }
    });

    let idle = idle.into_inner().unwrap();
    let idle: Vec<_> = idle.iter().map(String::as_str).collect();
    assert_eq!(idle, IDLE);
}

#[test]
fn unknown_keys_are_ignored_and_wrong_types_are_refused() {
    try_rendered(&json!({"crds": {"create": false}, "noSuchKey": 1})).unwrap();

    let error = try_rendered(&json!({"replicaCount": "many"})).unwrap_err();
    assert!(error.to_string().contains("replicaCount"), "{error}");
    let error = try_rendered(&json!({"webhook": {"failurePolicy": "Maybe"}})).unwrap_err();
    assert!(error.to_string().contains("failurePolicy"), "{error}");
}

/// Settings under which values come to act: all parts on, plain, cert-manager, CRDs.
fn scenes() -> Vec<Value> {
    let on = json!({"enabled": true});
    let part = json!({
        "podSecurityContext": {"fsGroup": 2000},
        "metrics": {
            "listen": {"auth": on, "secure": on},
            "service": on,
        },
        "livenessProbe": on, "readinessProbe": on, "startupProbe": on,
        "podDisruptionBudget": on, "networkPolicy": on,
    });
    let all = json!({
        "installCRDs": false,
        "webhook": part, "certController": merged(&part, &json!({"create": true})),
        "genericTargets": {
            "enabled": true,
            "resources": [{"apiGroup": "", "resources": ["configmaps"], "verbs": ["get"]}],
        },
        "serviceMonitor": on, "grafanaDashboard": on, "prometheusRule": on,
        "vault": {"enableTokenCache": true},
    });
    let all = merged(&part, &all);
    let manager = json!({"webhook": {"certManager": on}});
    vec![
        all,
        json!({"installCRDs": false}),
        json!({"installCRDs": false, "certController": {"create": true}}),
        merged(&json!({"installCRDs": false}), &manager),
        json!({}),
    ]
}

fn text(helm: &Helm, values: &Value) -> String {
    let render = Render {
        apis: &["monitoring.coreos.com/v1"],
        ..Render::default()
    };
    match helm.text(render, values) {
        Ok(text) => text,
        // A combination that the templates refuse acts, too; a value of a wrong type does not.
        Err(error) => {
            let error = error.to_string();
            assert!(!error.contains("schema"), "{error}");
            error
        }
    }
}

/// Another value of the same type.
fn changed(path: &str, now: &Value) -> Value {
    let last = path.rsplit('.').next().unwrap_or_default();
    match last {
        "failurePolicy" => return json!("Fail"),
        "adaptSecurityContext" => return json!("force"),
        "resources" if now.is_array() => {
            return json!([{"apiGroup": "g", "resources": ["r"], "verbs": ["get"]}]);
        }
        "extraObjects" => return json!([{"apiVersion": "v1", "kind": "ConfigMap"}]),
        "ipFamilies" => return json!(["IPv6"]),
        "drop" => return json!(["NET_RAW"]),
        "hostAliases" | "tolerations" | "topologySpreadConstraints" => {
            return json!([{"key": "changed"}]);
        }
        _ => {}
    }
    match now {
        Value::Bool(now) => json!(!now),
        Value::Number(now) => json!(now.as_i64().unwrap() + 1),
        Value::String(_) => json!("changed"),
        Value::Array(_) => json!([{"name": "changed"}]),
        Value::Object(now) if now.is_empty() => json!({"changed": "yes"}),
        Value::Object(_) => json!({}),
        Value::Null => json!(false),
    }
}

/// The values at the ends of the tree: paths and defaults. Lists count as one value.
fn leaves(values: &Value) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    collect("", values, &mut out);
    out
}

fn collect(path: &str, value: &Value, out: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                let below = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                collect(&below, value, out);
            }
        }
        _ => out.push((path.to_owned(), value.clone())),
    }
}

fn wrapped(path: &str, value: Value) -> Value {
    path.rsplit('.')
        .fold(value, |inner, key| json!({ key: inner }))
}

fn at(values: &Value, path: &str) -> Value {
    path.split('.')
        .fold(values.clone(), |value, key| value[key].clone())
}

fn tests() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/helm"))
}
