//! What a release with no values is made of: the names, labels and selectors that people's manifests
//! and runbooks refer to.

use lockstep_testkit::helm::{Helm, Render, find};
use lockstep_testkit::manifest;
use serde_json::{Value, json};

use crate::{args, rendered};

fn of_release(release: &str, namespace: &str) -> Vec<Value> {
    let render = Render {
        release,
        namespace,
        ..Render::default()
    };
    let values = json!({"installCRDs": false});
    Helm::ready().unwrap().objects(render, &values).unwrap()
}

#[test]
fn a_release_has_these_objects_and_no_others() {
    let mut names: Vec<_> = rendered(&json!({})).iter().map(manifest::label).collect();
    names.sort();

    assert_eq!(
        names,
        [
            "ClusterRole external-secrets-controller",
            "ClusterRole external-secrets-edit",
            "ClusterRole external-secrets-servicebindings",
            "ClusterRole external-secrets-view",
            "ClusterRole external-secrets-webhook",
            "ClusterRoleBinding external-secrets-controller",
            "ClusterRoleBinding external-secrets-webhook",
            "Deployment external-secrets",
            "Deployment external-secrets-webhook",
            "Role external-secrets-leaderelection",
            "Role external-secrets-webhook",
            "RoleBinding external-secrets-leaderelection",
            "RoleBinding external-secrets-webhook",
            "Secret external-secrets-webhook",
            "Service external-secrets-webhook",
            "ServiceAccount external-secrets",
            "ServiceAccount external-secrets-webhook",
            "ValidatingWebhookConfiguration externalsecret-validate",
            "ValidatingWebhookConfiguration secretstore-validate",
        ]
    );
}

#[test]
fn a_release_of_another_name_is_prefixed_but_fixed_names_stay() {
    let objects = of_release("secrets-manager", "secrets-manager");

    find(&objects, "Deployment", "secrets-manager-external-secrets").unwrap();
    find(
        &objects,
        "Deployment",
        "secrets-manager-external-secrets-webhook",
    )
    .unwrap();
    find(
        &objects,
        "ServiceAccount",
        "secrets-manager-external-secrets",
    )
    .unwrap();
    find(&objects, "ServiceAccount", "external-secrets-webhook").unwrap();
    find(
        &objects,
        "Secret",
        "secrets-manager-external-secrets-webhook",
    )
    .unwrap();
}

#[test]
fn names_that_grow_too_long_are_cut_before_their_suffix() {
    let long = "r".repeat(53);
    let objects = of_release(&long, "ns");

    for object in &objects {
        if object["kind"] == "Service" {
            let name = manifest::text(object, "/metadata/name");
            assert!(name.len() <= 63 && name.ends_with("-webhook"), "{name}");
        }
    }
}

#[test]
fn selectors_are_the_original_ones_and_pods_can_be_found_by_component() {
    let objects = rendered(&json!({"certController": {"create": true}}));

    for (name, label, component) in [
        ("external-secrets", "external-secrets", "controller"),
        (
            "external-secrets-webhook",
            "external-secrets-webhook",
            "webhook",
        ),
        (
            "external-secrets-cert-controller",
            "external-secrets-cert-controller",
            "cert-controller",
        ),
    ] {
        let deployment = find(&objects, "Deployment", name).unwrap();
        let selector = &deployment["spec"]["selector"]["matchLabels"];
        assert_eq!(
            *selector,
            json!({"app.kubernetes.io/name": label, "app.kubernetes.io/instance": "external-secrets"})
        );
        let labels = &deployment["spec"]["template"]["metadata"]["labels"];
        assert_eq!(labels["app.kubernetes.io/component"], component);
        assert_eq!(
            deployment["metadata"]["labels"]["app.kubernetes.io/component"],
            component
        );
        for (key, value) in selector.as_object().unwrap() {
            assert_eq!(labels[key], *value);
        }
    }
}

#[test]
fn pods_run_without_privileges() {
    for deployment in rendered(&json!({"certController": {"create": true}}))
        .iter()
        .filter(|object| object["kind"] == "Deployment")
    {
        let context = &deployment["spec"]["template"]["spec"]["containers"][0]["securityContext"];
        assert_eq!(
            *context,
            json!({
                "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                "runAsNonRoot": true, "runAsUser": 1000,
                "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"},
            })
        );
    }
}

#[test]
fn the_controller_says_only_what_differs_from_its_defaults() {
    let objects = rendered(&json!({}));
    let controller = find(&objects, "Deployment", "external-secrets").unwrap();

    assert_eq!(
        args(controller),
        [
            "--concurrent=1",
            "--metrics-addr=:8080",
            "--loglevel=info",
            "--zap-time-encoding=epoch"
        ]
    );
    let container = &controller["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["name"], "external-secrets");
    assert_eq!(
        container["ports"],
        json!([{"name": "metrics", "containerPort": 8080, "protocol": "TCP"}])
    );
}

#[test]
fn the_version_matches_ranges_of_existing_releases() {
    let chart = crate::yaml(&Helm::chart().join("Chart.yaml"));

    assert_eq!(chart["name"], "external-secrets");
    assert!(manifest::text(&chart, "/version").starts_with("2.9."));
}
