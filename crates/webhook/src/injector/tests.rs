use super::*;

fn at() -> Address {
    Address::of("hook.ns.svc")
}

fn configuration(client: Value, policy: &str) -> Value {
    json!({
        "metadata": {"name": "externalsecret-validate"},
        "webhooks": [
            {"name": "validate.externalsecret.external-secrets.io", "failurePolicy": policy, "clientConfig": client},
            {"name": "another.example.org", "clientConfig": {"url": "https://elsewhere"}},
        ],
    })
}

fn service(name: &str) -> Value {
    json!({"service": {"name": name, "namespace": "ns", "path": "/p"}})
}

#[test]
fn our_webhooks_get_the_authority_and_strangers_are_left_alone() {
    let found = configuration(service("hook"), "Ignore");

    let finding = examine(&found, &at(), "hook.ns.svc", "PEM");

    let new = finding.changed.unwrap();
    assert_eq!(new["webhooks"][0]["clientConfig"]["caBundle"], "UEVN");
    assert_eq!(
        new["webhooks"][0]["clientConfig"]["service"],
        service("hook")["service"]
    );
    assert_eq!(new["webhooks"][1], found["webhooks"][1]);
    assert!(finding.foreign.is_empty());
    assert_eq!(
        examine(&new, &at(), "hook.ns.svc", "PEM"),
        Finding::default()
    );
}

#[test]
fn a_url_to_our_own_name_is_ours() {
    let found = configuration(json!({"url": "https://localhost:9443/validate"}), "Ignore");

    let finding = examine(&found, &Address::of("localhost"), "localhost", "PEM");

    assert!(finding.changed.is_some() && finding.foreign.is_empty());
}

#[test]
fn a_webhook_that_was_left_behind_is_named_with_the_remedy() {
    let found = configuration(service("gone-webhook"), "Fail");

    let finding = examine(&found, &at(), "hook.ns.svc", "PEM");

    assert_eq!(finding.changed, None);
    let text = &finding.foreign[0];
    for part in [
        "externalsecret-validate",
        "service ns/gone-webhook",
        "refuses every write",
        "kubectl delete validatingwebhookconfiguration externalsecret-validate",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn the_certificate_controller_claims_what_carries_its_label() {
    let new = claimed(&configuration(service("old"), "Fail"), &at(), "PEM").unwrap();

    let client = &new["webhooks"][0]["clientConfig"];
    assert_eq!(client["service"]["name"], "hook");
    assert_eq!(client["caBundle"], "UEVN");
    assert_eq!(claimed(&new, &at(), "PEM"), None);
}

#[test]
fn only_crds_that_convert_are_touched() {
    let none = json!({"spec": {"conversion": {"strategy": "None"}}});
    let empty = json!({"spec": {"conversion": {"strategy": "Webhook"}}});
    let whole = json!({"spec": {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"path": "/c"}}}}}});

    assert_eq!(converted(&none, &at(), "PEM"), Ok(None));
    assert_eq!(
        converted(&empty, &at(), "PEM"),
        Err("unexpected crd conversion webhook config".to_owned())
    );
    let new = converted(&whole, &at(), "PEM").unwrap().unwrap();
    assert_eq!(
        new["spec"]["conversion"]["webhook"]["clientConfig"]["service"],
        json!({"path": "/c", "name": "hook", "namespace": "ns"})
    );
}
