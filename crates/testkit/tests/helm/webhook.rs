//! The webhook in the chart: it can refuse what is wrong and never what is merely early.

use lockstep_testkit::helm::{Helm, Render, find};
use serde_json::{Value, json};

use crate::{args, rendered};

fn webhooks(objects: &[Value]) -> Vec<Value> {
    let configurations = ["secretstore-validate", "externalsecret-validate"];
    let found =
        configurations.map(|name| find(objects, "ValidatingWebhookConfiguration", name).unwrap());
    found
        .iter()
        .flat_map(|configuration| configuration["webhooks"].as_array().unwrap().clone())
        .collect()
}

#[test]
fn a_webhook_that_is_not_up_refuses_nothing() {
    let webhooks = webhooks(&rendered(&json!({})));

    assert_eq!(webhooks.len(), 3);
    for webhook in webhooks {
        assert_eq!(webhook["failurePolicy"], "Ignore");
        assert_eq!(webhook["sideEffects"], "None");
        assert_eq!(webhook["timeoutSeconds"], 5);
        assert_eq!(
            webhook["rules"][0]["operations"],
            json!(["CREATE", "UPDATE"])
        );
        assert_eq!(
            webhook["clientConfig"]["service"]["name"],
            "external-secrets-webhook"
        );
        assert_eq!(webhook["clientConfig"]["caBundle"], Value::Null);
    }
}

#[test]
fn the_controllers_own_writes_pass_even_with_fail() {
    let objects =
        rendered(&json!({"webhook": {"failurePolicy": "Fail"}, "serviceAccount": {"name": "eso"}}));

    for webhook in webhooks(&objects) {
        assert_eq!(webhook["failurePolicy"], "Fail");
        let conditions = webhook["matchConditions"].as_array().unwrap();
        let expressions: Vec<_> = conditions
            .iter()
            .map(|c| c["expression"].as_str().unwrap())
            .collect();
        assert_eq!(
            expressions[0],
            "request.userInfo.username != 'system:serviceaccount:external-secrets:eso'"
        );
        assert!(expressions[1].contains("object.spec != oldObject.spec"));
    }
}

#[test]
fn an_api_server_too_old_for_match_conditions_gets_none() {
    let render = Render {
        kube: "1.27.0",
        ..Render::default()
    };
    let values = json!({"installCRDs": false});
    let objects = Helm::ready().unwrap().objects(render, &values).unwrap();

    for webhook in webhooks(&objects) {
        assert_eq!(webhook["matchConditions"], Value::Null);
    }
}

#[test]
fn by_default_the_webhook_makes_its_certificate_and_mounts_none() {
    let objects = rendered(&json!({}));
    let webhook = find(&objects, "Deployment", "external-secrets-webhook").unwrap();

    let args = args(webhook);
    assert_eq!(args[0], "webhook");
    assert!(
        args.contains(&"--secret-name=external-secrets-webhook"),
        "{args:?}"
    );
    assert!(args.contains(&"--dns-name=external-secrets-webhook.external-secrets.svc"));
    assert_eq!(webhook["spec"]["template"]["spec"]["volumes"], Value::Null);
    let secret = find(&objects, "Secret", "external-secrets-webhook").unwrap();
    assert_eq!(secret["data"], Value::Null);
}

#[test]
fn the_certificate_controller_takes_over_when_switched_on() {
    let objects = rendered(&json!({"certController": {"create": true}, "leaderElect": true}));

    let webhook = find(&objects, "Deployment", "external-secrets-webhook").unwrap();
    assert!(
        !args(webhook)
            .iter()
            .any(|arg| arg.starts_with("--secret-name"))
    );
    let volume = &webhook["spec"]["template"]["spec"]["volumes"][0];
    assert_eq!(volume["secret"]["secretName"], "external-secrets-webhook");
    let controller = find(&objects, "Deployment", "external-secrets-cert-controller").unwrap();
    let args = args(controller);
    for flag in [
        "certcontroller",
        "--crd-requeue-interval=5m",
        "--service-name=external-secrets-webhook",
        "--secret-namespace=external-secrets",
        "--enable-leader-election=true",
        "--enable-partial-cache=true",
    ] {
        assert!(args.contains(&flag), "{flag} in {args:?}");
    }
    let role = find(&objects, "ClusterRole", "external-secrets-cert-controller").unwrap();
    assert!(
        !role["rules"].to_string().contains("\"secrets\""),
        "no Secrets cluster-wide"
    );
}

#[test]
fn cert_manager_takes_over_when_switched_on() {
    let objects = rendered(&json!({
        "certController": {"create": true},
        "webhook": {"certManager": {"enabled": true, "cert": {"issuerRef": {"name": "ours"}, "renewBefore": "720h"}}},
    }));

    let certificate = find(&objects, "Certificate", "external-secrets-webhook").unwrap();
    assert_eq!(
        certificate["spec"]["secretName"],
        "external-secrets-webhook"
    );
    assert_eq!(certificate["spec"]["issuerRef"]["name"], "ours");
    assert_eq!(certificate["spec"]["renewBefore"], "720h");
    assert!(find(&objects, "Secret", "external-secrets-webhook").is_err());
    assert!(find(&objects, "Deployment", "external-secrets-cert-controller").is_err());
    let configuration = find(
        &objects,
        "ValidatingWebhookConfiguration",
        "externalsecret-validate",
    )
    .unwrap();
    assert_eq!(
        configuration["metadata"]["annotations"]["cert-manager.io/inject-ca-from"],
        "external-secrets/external-secrets-webhook"
    );
}

#[test]
fn without_a_webhook_nothing_of_it_is_left() {
    let objects = rendered(&json!({"webhook": {"create": false}}));

    for object in &objects {
        assert!(!object.to_string().contains("-webhook"), "{object}");
    }
}
