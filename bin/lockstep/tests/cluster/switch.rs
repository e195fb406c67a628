//! From the original to Lockstep and back, by the commands: `shadow`, `takeover` and `handback` over objects
//! as the original left them, with its CRDs. No Secret's resourceVersion moves at any step.

use std::path::Path;

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use serde_json::{Value, json};

use crate::command::{Ran, run};
use crate::process::{metric, operator, until};
use crate::recorded;

const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/recorded/deployments";

/// The original's Deployment, as its chart has it.
pub(crate) fn put_original(api: &Api, replicas: u32) {
    let name = "external-secrets";
    let labels = json!({"app.kubernetes.io/name": name});
    let image = "ghcr.io/external-secrets/external-secrets:v2.9.0";
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": recorded::NAMESPACE, "labels": labels},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": name, "image": image}]},
            },
        },
    });
    api.apply(&deployment).unwrap();
}

pub(crate) fn stopped(api: &Api) {
    api.merge(
        &format!("{DEPLOYMENT}/external-secrets"),
        &json!({"spec": {"replicas": 0}}),
    )
    .unwrap();
    until("the end of the original's pods", || {
        let found = api.get(&format!("{DEPLOYMENT}/external-secrets")).unwrap();
        match found["status"]["replicas"].as_u64() {
            None | Some(0) => Ok(found),
            Some(_) => Err(found),
        }
    });
}

/// Waits until the operator has reconciled every ExternalSecret.
pub(crate) fn looked_after(running: &lockstep_testkit::operator::Operator, names: &[String]) {
    for name in names {
        let label = format!(r#"name="{name}""#);
        until("a run of every object", || {
            match metric(running, "externalsecret_sync_calls_total", &label) {
                0 => Err(name.clone()),
                _ => Ok(name.clone()),
            }
        });
    }
}

fn verdict(report: &Value, name: &str) -> String {
    let objects = report["objects"].as_array().unwrap();
    let found = objects.iter().find(|one| one["name"] == name).unwrap();
    found["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn operators_change_without_a_write_to_any_secret() {
    let plane = ControlPlane::start(None).unwrap();
    let cluster: &Cluster = &plane;
    let upstream = lockstep_api::crds::compare::upstream().unwrap();
    let crds: Vec<Value> = upstream.into_values().collect();
    cluster.install(&crds).unwrap();
    let (api, kubeconfig) = (cluster.admin().unwrap(), cluster.admin_kubeconfig());
    recorded::put(&api);
    put_original(&api, 1);
    let before = recorded::versions(&api);
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("baseline.json");
    let baseline = baseline.to_str().unwrap();

    let shadow = run(&kubeconfig, &["shadow", "--output", "json"], "");
    let names = shadowed(&shadow);
    assert_eq!(recorded::versions(&api), before);

    // While the original runs, the takeover is refused and changes nothing.
    let refused = run(&kubeconfig, &["takeover", "--baseline", baseline], "");
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(
        refused
            .out
            .contains("scale deployment external-secrets --replicas=0"),
        "{}",
        refused.out
    );

    stopped(&api);
    let taken = run(&kubeconfig, &["takeover", "--baseline", baseline], "");
    assert_eq!(taken.code, 0, "{taken:?}");
    assert!(
        taken.out.contains("noted the versions of 7 Secrets"),
        "{}",
        taken.out
    );
    let mut running = operator(cluster, &[]);
    looked_after(&running, &names);
    let verified = run(&kubeconfig, &["takeover", "--verify", baseline], "");
    assert_eq!(verified.code, 0, "{verified:?}");
    assert_eq!(recorded::versions(&api), before);

    // And back.
    running.terminate().unwrap();
    let handed = run(&kubeconfig, &["handback", "--baseline", baseline], "");
    assert_eq!(handed.code, 0, "{handed:?}");
    assert!(handed.out.contains("7 of 7 Secrets"), "{}", handed.out);
    assert_eq!(recorded::versions(&api), before);
    for output in [&shadow, &refused, &taken, &verified, &handed] {
        output.shows_no("user=u pass=p");
    }

    api.delete("/api/v1/namespaces/recorded/secrets/plain")
        .unwrap();
    refuses_to_write(&kubeconfig, baseline);
}

/// Beside the original every Secret would be the same, and the broken object fails here too. Returns the
/// names of all objects.
fn shadowed(shadow: &Ran) -> Vec<String> {
    assert_eq!(shadow.code, 0, "{shadow:?}");
    let report = shadow.json();
    for name in [
        "plain",
        "labelled",
        "templated",
        "merger",
        "orphan",
        "frozen",
    ] {
        assert_eq!(verdict(&report, name), "equal", "{name}: {}", shadow.out);
    }
    assert_eq!(verdict(&report, "once"), "kept");
    assert_eq!(verdict(&report, "broken"), "bothFail");
    let objects = report["objects"].as_array().unwrap().iter();
    objects
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

/// A start that would write is refused, and says what it would write.
fn refuses_to_write(kubeconfig: &Path, baseline: &str) {
    let late = run(kubeconfig, &["takeover", "--check"], "");
    assert_eq!(late.code, 4, "{late:?}");
    assert!(
        late.out.contains("create Secret recorded/plain"),
        "{}",
        late.out
    );
    let moved = run(kubeconfig, &["takeover", "--verify", baseline], "");
    assert_eq!(moved.code, 1, "{moved:?}");
    assert!(moved.out.contains("gone: recorded/plain"), "{}", moved.out);
}
