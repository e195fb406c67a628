//! The certificate: shared by replicas, renewed in time, taken from a folder when it is good there,
//! and every obstacle named.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use lockstep_webhook::certificate::Bundle;
use serde_json::{Map, json};

use super::{NAMESPACE, SECRET, Stage, ready, refuses, waits_for};
use crate::process::until;

/// A bundle for `name` that ends this many days from now; they last ten years.
fn ending_in(days: u64, name: &str) -> Bundle {
    let life = Duration::from_hours(24 * (3650 - days));
    let then = Timestamp::now().checked_sub(life).unwrap();
    Bundle::renewed(None, name, then, Duration::ZERO)
        .unwrap()
        .unwrap()
}

#[test]
fn a_certificate_that_ends_soon_is_replaced_and_both_authorities_are_trusted() {
    let stage = Stage::new();
    let old = ending_in(30, "localhost");
    stage.secret();
    let data: Map<_, _> = old
        .to_data()
        .into_iter()
        .map(|(key, value)| (key.to_owned(), json!(STANDARD.encode(value.expose()))))
        .collect();
    stage.api.merge(SECRET, &json!({"data": data})).unwrap();
    stage.configurations("Ignore");

    let webhook = stage.webhook(&[]);

    ready(&webhook);
    until("a new certificate", || {
        let new = stage.stored("tls.crt");
        if new == old.certificate {
            Err(new)
        } else {
            Ok(new)
        }
    });
    refuses(&stage);
    let trusted = stage.trusted();
    assert_eq!(trusted, stage.stored("ca.crt"));
    assert!(trusted.ends_with(&old.authority), "{trusted}");
}

#[test]
fn replicas_share_one_certificate_and_the_authority_returns_when_it_is_lost() {
    let stage = Stage::new();
    stage.secret();
    stage.configurations("Ignore");
    let one = stage.webhook(&[]);
    let other = {
        let port = format!("--port={}", lockstep_testkit::port::free().unwrap().port());
        let flags = [
            &port,
            "--dns-name=localhost",
            "--cert-dir=/nonexistent",
            "--secret-name=external-secrets-webhook",
            "--secret-namespace=external-secrets",
        ];
        stage.start("external-secrets-webhook", "webhook", &flags)
    };
    ready(&one);
    ready(&other);
    let shared = stage.stored("tls.crt");
    refuses(&stage);

    let mut configuration = stage.configuration();
    configuration["webhooks"][0]["clientConfig"]["caBundle"] = json!(null);
    let path = format!("{}/externalsecret-validate", super::CONFIGURATIONS);
    stage.api.put(&path, &configuration).unwrap();

    until("the authority again", || match stage.trusted() {
        text if text.is_empty() => Err(text),
        text => Ok(text),
    });
    assert_eq!(stage.stored("tls.crt"), shared, "nobody made a second one");
}

#[test]
fn the_first_certificate_does_not_wait_for_the_lease_of_a_release_before() {
    let stage = Stage::new();
    stage.secret();
    stage.configurations("Ignore");
    // Helm takes the rights away before the pod ends, so that nobody gives the lease back.
    stage
        .api
        .apply(&json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "external-secrets-webhook-certs", "namespace": NAMESPACE},
            "spec": {
                "holderIdentity": "gone", "leaseDurationSeconds": 3600,
                "renewTime": Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.000000Z").to_string(),
            },
        }))
        .unwrap();

    let webhook = stage.webhook(&[]);

    ready(&webhook);
    refuses(&stage);
    assert_eq!(stage.trusted(), stage.stored("ca.crt"));
}

#[test]
fn a_good_pair_in_the_folder_is_served_as_it_is() {
    let stage = Stage::new();
    stage.secret();
    let dir = tempfile::tempdir().unwrap();
    for (name, value) in ending_in(400, "localhost").to_data() {
        std::fs::write(dir.path().join(name), value.expose()).unwrap();
    }

    let flag = format!("--cert-dir={}", dir.path().display());
    let port = format!("--port={}", stage.port);
    let flags = [
        flag.as_str(),
        &port,
        "--dns-name=localhost",
        "--secret-name=external-secrets-webhook",
        "--secret-namespace=external-secrets",
    ];
    let webhook = stage.start("external-secrets-webhook", "webhook", &flags);

    ready(&webhook);
    assert_eq!(
        stage.stored("tls.crt"),
        "",
        "{NAMESPACE} keeps its empty Secret"
    );
}

#[test]
fn a_wrong_pair_in_the_folder_is_named_and_done_without() {
    let stage = Stage::new();
    let dir = tempfile::tempdir().unwrap();
    for (name, value) in ending_in(400, "elsewhere.svc").to_data() {
        std::fs::write(dir.path().join(name), value.expose()).unwrap();
    }
    let flag = format!("--cert-dir={}", dir.path().display());
    let port = format!("--port={}", stage.port);
    let alone = [flag.as_str(), &port, "--dns-name=localhost"];

    let mut stuck = stage.start("external-secrets-webhook", "webhook", &alone);
    waits_for(&mut stuck, "the certificate is not for localhost");
    drop(stuck);

    stage.secret();
    let shared = [
        &alone[..],
        &[
            "--secret-name=external-secrets-webhook",
            "--secret-namespace=external-secrets",
        ],
    ]
    .concat();
    let webhook = stage.start("external-secrets-webhook", "webhook", &shared);
    let report = ready(&webhook);
    assert!(
        report.contains("the certificate is not for localhost"),
        "{report}"
    );
}

#[test]
fn missing_rights_are_named_by_every_process() {
    let stage = Stage::new();
    stage.secret();
    stage
        .api
        .apply(&json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": "powerless", "namespace": NAMESPACE},
        }))
        .unwrap();
    let shared = [
        "--secret-name=external-secrets-webhook",
        "--secret-namespace=external-secrets",
    ];
    let flags = [
        &["--cert-dir=/nonexistent", "--dns-name=localhost"],
        &shared[..],
    ]
    .concat();

    let mut webhook = stage.start("powerless", "webhook", &flags);
    let mut certificates = stage.start("powerless", "certcontroller", &shared);
    let mut controller = stage.start("powerless", "", &[]);

    let remedy = "(it takes get, update and patch on this one Secret)";
    waits_for(&mut webhook, remedy);
    waits_for(&mut certificates, remedy);
    let rule = "cannot watch resource \"externalsecrets\" in API group \"external-secrets.io\"";
    waits_for(&mut controller, rule);
    assert!(webhook.logged().contains(remedy));
    let log = controller.logged().replace("\\\"", "\"");
    assert!(log.contains(rule), "{log}");
}

#[test]
fn a_registration_left_behind_by_another_release_is_named_with_the_remedy() {
    let stage = Stage::new();
    stage.secret();
    stage.left_behind();

    let webhook = stage.webhook(&[]);

    until("the name of what was left behind", || {
        let report = ready(&webhook);
        let named = report.contains("service gone/old-webhook and refuses every write")
            && report
                .contains("kubectl delete validatingwebhookconfiguration externalsecret-validate");
        if named { Ok(report) } else { Err(report) }
    });
    assert_eq!(stage.trusted(), "", "what is not ours is left alone");
}
