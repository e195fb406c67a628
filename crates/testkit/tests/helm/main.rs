//! The Helm chart, rendered by the real Helm with defaults and many sets of values, and judged by the
//! parsed objects.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod alerts;
mod compare;
mod crds;
mod defaults;
mod docs;
mod image;
mod kustomize;
mod rbac;
mod switches;
mod values;
mod webhook;

use std::path::Path;

use lockstep_testkit::helm::{Helm, Render};
use serde_json::{Value, json};

/// The objects of a release `external-secrets`, without CRDs.
fn rendered(values: &Value) -> Vec<Value> {
    try_rendered(values).unwrap()
}

fn try_rendered(values: &Value) -> anyhow::Result<Vec<Value>> {
    let render = Render {
        apis: &["monitoring.coreos.com/v1"],
        ..Render::default()
    };
    Helm::ready()?.objects(render, &merged(&json!({"installCRDs": false}), values))
}

/// `base` with `over` laid on top, as Helm lays values files.
fn merged(base: &Value, over: &Value) -> Value {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            let mut out = base.clone();
            for (key, value) in over {
                let below = out.get(key).unwrap_or(&Value::Null);
                let value = merged(below, value);
                out.insert(key.clone(), value);
            }
            Value::Object(out)
        }
        _ => over.clone(),
    }
}

/// A YAML file beside the tests or in the chart.
fn yaml(path: &Path) -> Value {
    lockstep_testkit::manifest::read(path).unwrap().remove(0)
}

/// The flags of the first container of a workload.
fn args(workload: &Value) -> Vec<&str> {
    let container = &workload["spec"]["template"]["spec"]["containers"][0];
    let args = container["args"].as_array().unwrap();
    args.iter().map(|arg| arg.as_str().unwrap()).collect()
}
