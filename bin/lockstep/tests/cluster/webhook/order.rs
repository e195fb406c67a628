//! Starting in every order: what is early waits, and nothing is refused for it.

use lockstep_testkit::api::Api;
use lockstep_testkit::kubeconfig::Access;
use serde_json::json;

use super::{NAMESPACE, Stage, attempt, ready, refuses, waits_for};
use crate::process::until;

#[test]
fn nothing_is_refused_before_and_after_the_webhook_is_up() {
    let stage = Stage::new();
    stage.attempt().unwrap();
    // Registered, and nobody serves.
    stage.configurations("Ignore");
    stage.attempt().unwrap();

    // The webhook is there before its Secret, and says so.
    let mut webhook = stage.webhook(&[]);
    waits_for(
        &mut webhook,
        "Secret external-secrets/external-secrets-webhook is not there",
    );
    stage.attempt().unwrap();

    stage.secret();
    ready(&webhook);
    refuses(&stage);
    assert!(webhook.metrics().unwrap().contains(
        r#"controller_runtime_webhook_requests_total{code="200",webhook="/validate-external-secrets-io-v1-externalsecret"}"#
    ));

    webhook.terminate().unwrap();
    until("acceptance without the webhook", || {
        stage.attempt().map_err(|(_, text)| json!(text))
    });
}

#[test]
fn a_webhook_that_is_first_finds_its_registration_later() {
    let stage = Stage::new();
    stage.secret();
    let webhook = stage.webhook(&[]);
    ready(&webhook);

    stage.configurations("Ignore");

    refuses(&stage);
}

#[test]
fn with_fail_the_controller_and_finalizers_still_pass_while_the_webhook_is_down() {
    let stage = Stage::new();
    let made = stage.attempt().unwrap();
    stage.configurations("Fail");
    until("refusal of people's writes", || match stage.attempt() {
        Err((_, text)) if text.contains("failed calling webhook") => Ok(text),
        other => Err(format!("{other:?}")),
    });

    let path = stage.api.path_of(&made).unwrap();
    let finalizer = json!({"metadata": {"finalizers": ["example.org/x"], "labels": {"a": "b"}}});
    stage.api.merge(&path, &finalizer).unwrap();
    let access = Access::read(&stage.kubeconfig("external-secrets")).unwrap();
    attempt(&Api::new(access).unwrap()).unwrap();
    let spec = json!({"spec": {"refreshInterval": "2h"}});
    assert!(stage.api.merge(&path, &spec).is_err(), "{NAMESPACE}");
    stage
        .api
        .merge(&path, &json!({"metadata": {"finalizers": null}}))
        .unwrap();
}

#[test]
fn the_controller_names_a_webhook_that_was_left_behind_and_goes_on_without_it() {
    let stage = Stage::new();
    let objects = [
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": "behind", "namespace": NAMESPACE},
            "spec": {"provider": {"fake": {"data": [{"key": "k", "value": "v"}]}}},
        }),
        json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": "behind", "namespace": NAMESPACE},
            "spec": {
                "secretStoreRef": {"name": "behind"},
                "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
            },
        }),
    ];
    for object in &objects {
        stage.api.apply(object).unwrap();
    }
    stage.left_behind();
    until("refusal of writes", || match stage.attempt() {
        Err((_, text)) if text.contains("failed calling webhook") => Ok(text),
        other => Err(format!("{other:?}")),
    });

    let mut controller = stage.start("external-secrets", "", &[]);

    controller.healthy().unwrap();
    let remedy = "kubectl delete validatingwebhookconfiguration externalsecret-validate";
    let path = stage.api.path_of(&objects[1]).unwrap();
    until("a word about the webhook", || {
        let told = stage.api.get(&path).unwrap()["status"].to_string();
        if told.contains(remedy) && controller.logged().contains(remedy) {
            Ok(told)
        } else {
            Err(format!("{told} {}", controller.logged()))
        }
    });

    stage
        .api
        .delete(&format!(
            "{}/externalsecret-validate",
            super::CONFIGURATIONS
        ))
        .unwrap();
    until("a sync", || {
        let found = stage.api.get(&path).unwrap();
        if found["status"]["conditions"][0]["status"] == "True" {
            Ok(found)
        } else {
            Err(found)
        }
    });
    controller.check().unwrap();
}
