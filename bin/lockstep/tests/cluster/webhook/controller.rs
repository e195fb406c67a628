//! The certificate controller, where somebody switches it on.

use serde_json::json;

use super::{NAMESPACE, Stage, ready, waits_for};
use crate::process::until;

#[test]
fn the_certificate_controller_makes_the_certificate_and_announces_it() {
    let stage = Stage::new();
    stage.secret();
    for object in Stage::installed() {
        if object["kind"] == "ValidatingWebhookConfiguration" {
            stage.api.apply(&object).unwrap();
        }
    }
    let flags = [
        "--service-name=external-secrets-webhook",
        "--service-namespace=external-secrets",
        "--secret-name=external-secrets-webhook",
        "--secret-namespace=external-secrets",
        "--crd-requeue-interval=1s",
        "--enable-leader-election=true",
        "--enable-partial-cache=true",
    ];
    rights(&stage);

    let mut controller = stage.start("certs", "certcontroller", &flags);

    waits_for(
        &mut controller,
        "no ready pod behind service external-secrets/external-secrets-webhook",
    );
    until("the authority", || match stage.trusted() {
        text if text.is_empty() => Err(text),
        text => Ok(text),
    });
    assert_eq!(stage.trusted(), stage.stored("ca.crt"));
    assert!(!stage.stored("tls.key").is_empty());

    stage
        .api
        .apply(&json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {
                "name": "external-secrets-webhook-1", "namespace": NAMESPACE,
                "labels": {"kubernetes.io/service-name": "external-secrets-webhook"},
            },
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.1.2.3"], "conditions": {"ready": true}}],
            "ports": [{"name": "webhook", "port": 10250, "protocol": "TCP"}],
        }))
        .unwrap();
    ready(&controller);
    controller.check().unwrap();
}

/// The rights that the chart gives its certificate controller, rule by rule.
fn rights(stage: &Stage) {
    let account = json!({"kind": "ServiceAccount", "name": "certs", "namespace": NAMESPACE});
    let rbac = "rbac.authorization.k8s.io";
    let objects = [
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "certs", "namespace": NAMESPACE}}),
        json!({"apiVersion": format!("{rbac}/v1"), "kind": "ClusterRole", "metadata": {"name": "certs"}, "rules": [
            {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["get", "list", "watch"]},
            {"apiGroups": ["admissionregistration.k8s.io"], "resources": ["validatingwebhookconfigurations"], "verbs": ["get", "list", "watch"]},
            {"apiGroups": ["admissionregistration.k8s.io"], "resources": ["validatingwebhookconfigurations"], "resourceNames": ["secretstore-validate", "externalsecret-validate"], "verbs": ["update", "patch"]},
            {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["get", "list", "watch"]},
        ]}),
        json!({"apiVersion": format!("{rbac}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": "certs"},
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "certs"}, "subjects": [account]}),
        json!({"apiVersion": format!("{rbac}/v1"), "kind": "Role", "metadata": {"name": "certs", "namespace": NAMESPACE}, "rules": [
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["external-secrets-webhook"], "verbs": ["get", "list", "watch", "update", "patch"]},
            {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update", "patch"]},
        ]}),
        json!({"apiVersion": format!("{rbac}/v1"), "kind": "RoleBinding", "metadata": {"name": "certs", "namespace": NAMESPACE},
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "certs"}, "subjects": [account]}),
    ];
    for object in objects {
        stage.api.apply(&object).unwrap();
    }
}
