//! Kinds without a namespace as an engineer on call sees them: selectors that cannot be read, their metrics, and
//! kinds that a flag switches off. Each test has a cluster of its own, because such operators serve all of it.

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::ControlPlane;
use serde_json::{Value, json};

use crate::process::{operator, until};

/// A selector that the CRD accepts and nobody can read.
fn bad_selector() -> Value {
    json!({"matchExpressions": [{"key": "team", "operator": "In", "values": []}]})
}

fn cluster_push_secret(selector: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "ClusterPushSecret",
        "metadata": {"name": "pushes"},
        "spec": {
            "namespaceSelectors": [selector],
            "pushSecretSpec": {
                "secretStoreRefs": [{"name": "store"}],
                "selector": {"secret": {"name": "source"}},
            },
        },
    })
}

fn cluster_external_secret(selector: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterExternalSecret",
        "metadata": {"name": "reads"},
        "spec": {
            "namespaceSelectors": [selector],
            "externalSecretSpec": {
                "secretStoreRef": {"name": "store"},
                "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
            },
        },
    })
}

/// Waits for a Warning about an object of this kind; returns its text.
fn warning(api: &Api, namespace: &str, (kind, reason): (&str, &str)) -> String {
    let path = format!("/api/v1/namespaces/{namespace}/events");
    until(&format!("{reason} of {kind}"), || {
        let events = api.get(&path).unwrap();
        let events = events["items"].as_array().cloned().unwrap_or_default();
        let found = events.iter().find(|event| {
            event["type"] == "Warning"
                && event["reason"] == reason
                && event["involvedObject"]["kind"] == kind
        });
        let text = found.map(|event| event["message"].as_str().unwrap().to_owned());
        text.ok_or_else(|| format!("{events:?}"))
    })
}

#[test]
fn a_selector_that_cannot_be_read_is_an_event_and_a_metric_of_both_kinds() {
    let plane = ControlPlane::start(None).unwrap();
    plane.install_crds().unwrap();
    let api = plane.admin().unwrap();
    let operator = operator(&plane, &[]);
    let kinds = [
        ("ClusterPushSecret", cluster_push_secret(&bad_selector())),
        (
            "ClusterExternalSecret",
            cluster_external_secret(&bad_selector()),
        ),
    ];
    for (_, object) in &kinds {
        api.apply(object).unwrap();
    }

    for (kind, object) in &kinds {
        let text = warning(&api, "default", (kind, "InvalidSelector"));
        assert!(
            text.contains("namespaceSelectors[0] cannot be read"),
            "{text}"
        );
        let name = object["metadata"]["name"].as_str().unwrap();
        let family = format!("{}_status_condition", kind.to_lowercase());
        let series =
            format!(r#"{family}{{name="{name}",namespace="",condition="Ready",status="False"}} 1"#);
        until(&series, || {
            let metrics = operator.metrics().unwrap_or_default();
            let found = metrics.contains(&series);
            if found {
                Ok(String::new())
            } else {
                Err(metrics)
            }
        });
    }
    let metrics = operator.metrics().unwrap();
    assert!(metrics.contains("# TYPE clusterpushsecret_reconcile_duration gauge"));
}

#[test]
fn objects_of_kinds_that_are_switched_off_are_counted_and_get_an_event() {
    let plane = ControlPlane::start(None).unwrap();
    plane.install_crds().unwrap();
    let api = plane.admin().unwrap();
    let selector = json!({"matchLabels": {"team": "a"}});
    api.apply(&cluster_push_secret(&selector)).unwrap();
    api.apply(&cluster_external_secret(&selector)).unwrap();

    let operator = operator(
        &plane,
        &[
            "--enable-push-secret-reconciler=false",
            "--enable-cluster-external-secret-reconciler=false",
        ],
    );

    let text = warning(&api, "default", ("ClusterExternalSecret", "NotServed"));
    assert_eq!(
        text,
        "ClusterExternalSecrets are not reconciled by this operator: it runs with \
         --enable-cluster-external-secret-reconciler=false"
    );
    let text = warning(&api, "default", ("ClusterPushSecret", "NotServed"));
    assert!(
        text.ends_with("--enable-push-secret-reconciler=false"),
        "{text}"
    );
    let log = operator.logged();
    let counted = "1 ClusterPushSecret is not reconciled: --enable-push-secret-reconciler=false";
    assert!(log.contains(counted), "{log}");
    // One that is applied later gets an event too.
    api.apply(&json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "later", "namespace": "default"},
        "spec": {
            "secretStoreRefs": [{"name": "store"}],
            "selector": {"secret": {"name": "source"}},
        },
    }))
    .unwrap();
    warning(&api, "default", ("PushSecret", "NotServed"));
    // The status is left to whoever reconciles the kind.
    let group = "/apis/external-secrets.io/v1";
    let object = api.get(&format!("{group}/clusterexternalsecrets/reads"));
    assert_eq!(object.unwrap()["status"]["conditions"], json!(null));
}
