//! Why nothing can be read, told apart: only a missing secret and a deleted version are absence.

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{Check, Error, ErrorKind, RemoteRef};
use lockstep_testkit::bao::Fault;
use serde_json::json;

use crate::bench::{Bench, read};

async fn why(bench: &Bench, spec: serde_json::Value, key: &str) -> Error {
    let store = bench.connect(spec).await.unwrap();
    read(&store, RemoteRef::key(key)).await.unwrap_err()
}

#[tokio::test]
async fn a_missing_secret_is_absent() {
    let bench = Bench::new();

    let error = why(&bench, bench.spec(), "none").await;

    assert_eq!(error.to_string(), "Secret does not exist");
    assert!(error.consequence().absent);
}

#[tokio::test]
async fn a_deleted_and_a_destroyed_version_are_named_and_absent() {
    let bench = Bench::new();
    for name in ["deleted", "destroyed"] {
        bench.bao.put(name, &json!({ "a": "1" })).unwrap();
    }
    let versions = json!({ "versions": [1] });
    bench
        .bao
        .call("POST", "kv/delete/deleted", &versions)
        .unwrap();
    bench
        .bao
        .call("PUT", "kv/destroy/destroyed", &versions)
        .unwrap();

    for name in ["deleted", "destroyed"] {
        let error = why(&bench, bench.spec(), name).await;

        assert!(matches!(error.kind(), ErrorKind::Tombstoned(_)), "{error}");
        assert!(error.consequence().absent);
        assert!(
            error.to_string().contains(&format!("was {name}")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_wrong_mount_version_or_namespace_is_never_absence() {
    let bench = Bench::new();
    bench.bao.mount("old", 1).unwrap();
    let with = |name: &str, value: &str| {
        let mut spec = bench.spec();
        spec[name] = value.into();
        spec
    };

    let mount = why(&bench, with("path", "none"), "x").await;
    let newer = why(&bench, with("path", "old"), "x").await;
    let older = why(&bench, with("version", "v1"), "x").await;
    let namespace = why(&bench, with("namespace", "nowhere"), "x").await;

    for error in [&mount, &newer, &older, &namespace] {
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{error}");
    }
    assert!(
        mount.to_string().contains("nothing is mounted at \"none\""),
        "{mount}"
    );
    assert!(newer.to_string().contains("set version: v1"), "{newer}");
    assert!(older.to_string().contains("set version: v2"), "{older}");
    assert!(
        namespace.to_string().contains("namespace \"nowhere\""),
        "{namespace}"
    );
}

#[tokio::test]
async fn a_policy_that_denies_is_named_and_costs_no_login() {
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    bench.bao.policy("other", &[("kv/data/y", "read")]).unwrap();
    bench.bao.token("reader", "other").unwrap();
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "token", "reader\n");

    let error = why(&bench, bench.spec(), "x").await;

    assert_eq!(error.kind(), &ErrorKind::Denied, "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with("cannot read secret data from Vault: Error making API"),
        "{text}"
    );
    assert!(text.contains("Code: 403. Errors:"), "{text}");
    assert!(
        text.contains(r#"path "kv/data/x" { capabilities = ["read"] }"#),
        "{text}"
    );
}

#[tokio::test]
async fn a_revoked_token_is_told_from_a_policy_that_denies() {
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    bench.bao.policy("reader", &[("kv/*", "read")]).unwrap();
    bench.bao.token("short", "reader").unwrap();
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "token", "short");
    let store = bench.store().await;
    let revoke = json!({ "token": "short" });
    bench.bao.call("PUT", "auth/token/revoke", &revoke).unwrap();

    let error = read(&store, RemoteRef::key("x")).await.unwrap_err();
    let Check::Failed(check) = store.check().await else {
        panic!("the check must fail");
    };

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated, "{error}");
    assert!(
        error.to_string().contains("invalid, expired or revoked"),
        "{error}"
    );
    assert!(
        check.to_string().starts_with("invalid vault credentials: "),
        "{check}"
    );
}

#[tokio::test]
async fn a_sealed_server_is_an_outage() {
    let bench = Bench::new();
    let store = bench.store().await;
    bench.bao.inject(Fault {
        path: "kv/data/x",
        status: 503,
        error: "Vault is sealed",
        times: 3,
    });

    let error = read(&store, RemoteRef::key("x")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable, "{error}");
    assert!(error.to_string().contains("unseal it"), "{error}");
}

#[tokio::test]
async fn what_passes_is_ridden_out_and_what_does_not_is_not_repeated() {
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    let store = bench.store().await;
    for (status, times) in [(412, 2), (429, 1), (503, 2), (400, 1)] {
        bench.calls();
        bench.bao.inject(Fault {
            path: "kv/data/x",
            status,
            error: "injected",
            times,
        });

        let outcome = read(&store, RemoteRef::key("x")).await;

        assert_eq!(outcome.is_ok(), status != 400, "{status}");
        let expected = if status == 400 { 1 } else { times + 1 };
        assert_eq!(bench.calls().len(), expected, "{status}");
    }
}
