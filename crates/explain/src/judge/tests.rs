//! Tests of the judgement on facts written by hand: which link is named first, and how the tree looks.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ExternalSecret, SecretStore};
use lockstep_plan::external_secret::{ObservedTarget, created_by};
use lockstep_plan::{Settings, StoreKey, TargetRow};
use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::output::Paint;
use serde_json::{Value, json};

use super::judge;
use crate::facts::{
    CredentialFacts, ExternalSecretFacts, Facts, Live, LiveAnswer, LiveFailure, Looked, StoreFacts,
    Subject, TargetFacts,
};
use crate::kinds::Kind;
use crate::print::text;
use crate::report::Report;

fn now() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

fn object(ready: Value) -> ExternalSecret {
    let mut object: ExternalSecret = serde_json::from_value(json!({
        "metadata": {
            "name": "database", "namespace": "team-a", "uid": "u1", "generation": 1,
            "creationTimestamp": "2026-01-01T10:00:00Z",
        },
        "spec": {
            "refreshInterval": "1h",
            "secretStoreRef": {"name": "vault"},
            "data": [{"secretKey": "password", "remoteRef": {"key": "db"}}],
        },
        "status": {
            "refreshTime": "2026-01-01T11:30:00Z",
            "nextUpdateTime": "2026-01-01T12:30:00Z",
            "conditions": [ready],
        },
    }))
    .unwrap();
    let synced = lockstep_plan::external_secret::synced_resource_version(&object);
    if let Some(status) = &mut object.status {
        status.synced_resource_version = Some(synced);
    }
    object
}

fn synced() -> Value {
    json!({"type": "Ready", "status": "True", "reason": "SecretSynced", "message": "secret synced"})
}

fn failed(message: &str) -> Value {
    json!({
        "type": "Ready", "status": "False", "reason": "SecretSyncedError", "message": message,
        "lastTransitionTime": "2026-01-01T11:55:00Z",
    })
}

fn store(ready: &str) -> Looked<StoreFacts> {
    let store: SecretStore = serde_json::from_value(json!({
        "metadata": {"name": "vault", "namespace": "team-a"},
        "spec": {"provider": {"vault": {}}},
        "status": {"conditions": [
            {"type": "Ready", "status": ready, "reason": "Valid", "message": "store validated"},
        ]},
    }))
    .unwrap();
    Looked::There(StoreFacts {
        record: Arc::new(store.into()),
        credentials: vec![credential(Looked::There(["token".to_owned()].into()))],
    })
}

fn credential(found: Looked<std::collections::BTreeSet<String>>) -> CredentialFacts {
    CredentialFacts {
        kind: "Secret",
        namespace: "team-a".to_owned(),
        name: "vault-token".to_owned(),
        key: Some("token".to_owned()),
        found,
    }
}

fn target(object: &ExternalSecret) -> Looked<TargetFacts> {
    let data: BTreeMap<String, ByteString> =
        [("password".to_owned(), ByteString(b"canary-value".to_vec()))].into();
    let mut secret = Secret {
        data: Some(data),
        ..Secret::default()
    };
    secret.metadata = serde_json::from_value(json!({
        "name": "database", "namespace": "team-a", "uid": "s1",
        "labels": {
            "reconcile.external-secrets.io/managed": "true",
            "reconcile.external-secrets.io/created-by": created_by(object),
        },
        "ownerReferences": [{
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "name": "database",
            "uid": "u1", "controller": true,
        }],
    }))
    .unwrap();
    let hash = TargetRow::of(&secret, &Settings::default().salt).data_hash;
    let hash = [(
        "reconcile.external-secrets.io/data-hash".to_owned(),
        hash.into_string(),
    )];
    secret.metadata.annotations = Some(hash.into());
    let row = TargetRow::of(&secret, &Settings::default().salt);
    Looked::There(TargetFacts {
        seen: ObservedTarget::Row(Arc::new(row)),
        keys: [("password".to_owned(), 12)].into(),
        changed: Some("2026-01-01T11:30:00Z".parse().unwrap()),
    })
}

fn facts(ready: Value) -> ExternalSecretFacts {
    let object = object(ready);
    ExternalSecretFacts {
        labels: Looked::There(Arc::default()),
        stores: [(StoreKey::namespaced("team-a", "vault"), store("True"))].into(),
        generators: Vec::new(),
        sources: BTreeMap::new(),
        target: target(&object),
        pods: Looked::There(Vec::new()),
        live: None,
        object,
    }
}

fn report(found: ExternalSecretFacts) -> Report {
    let facts = Facts {
        kind: Kind::ExternalSecret,
        namespace: Some("team-a".to_owned()),
        name: "database".to_owned(),
        settings: Settings::default(),
        subject: Subject::ExternalSecret(Box::new(found)),
    };
    judge(&facts, now())
}

fn first(report: &Report) -> &str {
    report.first_broken().map_or("", |link| &*link.name)
}

#[test]
fn a_healthy_chain_has_no_broken_link_and_says_when_it_syncs_next() {
    let report = report(facts(synced()));

    assert_eq!(report.exit(), Exit::Fine);
    insta::assert_snapshot!(text(&report, Paint::OFF));
}

#[test]
fn a_missing_store_is_the_first_broken_link_with_a_near_name() {
    let mut found = facts(failed(
        "could not get secret data from provider: StoreNotFound: x",
    ));
    let key = StoreKey::namespaced("team-a", "vault");
    found
        .stores
        .insert(key, Looked::Missing("did you mean vault-prod?".to_owned()));
    found.target = Looked::Missing(String::new());

    let report = report(found);

    assert_eq!(first(&report), "store");
    assert_eq!(report.exit(), Exit::Findings);
    insta::assert_snapshot!(text(&report, Paint::OFF));
}

#[test]
fn a_missing_credential_breaks_the_identity() {
    let mut found = facts(synced());
    for store in found.stores.values_mut() {
        if let Looked::There(store) = store {
            store.credentials = vec![credential(Looked::Missing(String::new()))];
        }
    }

    let report = report(found);

    assert_eq!(first(&report), "Secret");
    insta::assert_snapshot!(text(&report, Paint::OFF));
}

#[test]
fn a_remote_secret_that_is_gone_breaks_the_answer() {
    let report = report(facts(failed(
        "could not get secret data from provider: NotFound: spec.data[0] (key: db): Secret does not \
         exist; create it, or correct the reference",
    )));

    assert_eq!(first(&report), "answer");
    insta::assert_snapshot!(text(&report, Paint::OFF));
}

#[test]
fn a_live_read_that_goes_through_overrules_an_old_failure() {
    let mut found = facts(failed(
        "could not get secret data from provider: Unreachable: connection refused",
    ));
    found.live = Some(live(Ok("12 bytes".to_owned())));

    let report = report(found);

    assert_eq!(report.first_broken(), None);
    insta::assert_snapshot!(text(&report, Paint::OFF));
}

#[test]
fn a_live_refusal_goes_before_a_good_condition() {
    let mut found = facts(synced());
    let refused = LiveFailure {
        cause: "Denied".to_owned(),
        text: "permission denied".to_owned(),
        remedy: Some("allow the store's identity to do this".to_owned()),
    };
    found.live = Some(live(Err(refused)));

    let report = report(found);

    assert_eq!(first(&report), "entry");
}

fn live(outcome: Result<String, LiveFailure>) -> Live {
    let is_good = outcome.is_ok();
    Live {
        refused: None,
        answers: vec![LiveAnswer {
            entry: "spec.data[0] (key: db)".to_owned(),
            asked: "\"db\" of SecretStore \"vault\"".to_owned(),
            outcome,
        }],
        pipeline: is_good.then(|| Ok(vec!["password".to_owned()])),
        plan: is_good.then(|| Ok("it is as the answer asks for".to_owned())),
    }
}

#[test]
fn a_pod_that_wants_a_key_the_target_lacks_is_the_broken_link() {
    let mut found = facts(synced());
    found.pods = Looked::There(vec![pod("pasword", "2026-01-01T11:40:00Z")]);

    let report = report(found);

    assert_eq!(first(&report), "pod");
    let remedy = report.first_broken().unwrap().remedy.clone().unwrap();
    assert!(remedy.ends_with("did you mean password?"), "{remedy}");
}

#[test]
fn a_pod_older_than_the_values_in_its_environment_deserves_a_look() {
    let mut found = facts(synced());
    found.pods = Looked::There(vec![pod("password", "2026-01-01T11:00:00Z")]);

    let report = report(found);

    assert_eq!(report.exit(), Exit::Fine);
    insta::assert_snapshot!(text(&report, Paint::OFF));
}

fn pod(key: &str, started: &str) -> crate::pods::Pod {
    serde_json::from_value(json!({
        "metadata": {"name": "web-1"},
        "spec": {"containers": [{"name": "web", "env": [
            {"name": "P", "valueFrom": {"secretKeyRef": {"name": "database", "key": key}}},
        ]}]},
        "status": {"startTime": started},
    }))
    .unwrap()
}

#[test]
fn colours_mark_the_first_broken_link() {
    let mut found = facts(synced());
    found.target = Looked::Missing(String::new());

    let shown = text(&report(found), Paint::ON);

    assert!(
        shown.contains("\u{1b}[1;31m◀ first broken link\u{1b}[0m"),
        "{shown}"
    );
}

#[test]
fn programs_get_the_same_tree() {
    let report = report(facts(failed(
        "could not get secret data from provider: Template: line 1",
    )));

    assert_eq!(report.exit(), Exit::Findings);
    insta::assert_snapshot!(format!("{:#}", report.json()));
}
