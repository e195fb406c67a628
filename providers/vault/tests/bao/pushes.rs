//! Writing: what is made, changed, left alone, refused and deleted, and what stays of others.

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{ErrorKind, PushTarget, Pushed};
use serde_json::{Value, json};

use crate::bench::{Bench, push};

fn custom(bench: &Bench, key: &str) -> Value {
    bench.metadata(key).unwrap()["custom_metadata"].clone()
}

#[tokio::test]
async fn a_secret_is_made_changed_and_left_alone() {
    let bench = Bench::new();
    let store = bench.store().await;
    let nested = r#"{"n":{"m":2},"i":1}"#;

    let made = store.push(&push("p", None, nested)).await.unwrap();
    let same = store
        .push(&push("p", None, r#"{"i":1.0,"n":{"m":2}}"#))
        .await
        .unwrap();
    let changed = store
        .push(&push("p", None, r#"{"n":{"m":3}}"#))
        .await
        .unwrap();

    assert_eq!(made, Pushed::Created);
    assert_eq!(same, Pushed::Unchanged);
    assert_eq!(changed, Pushed::Updated);
    assert_eq!(bench.data("p"), json!({ "n": { "m": 3 } }));
    assert_eq!(
        custom(&bench, "p"),
        json!({ "managed-by": "external-secrets" })
    );
    assert_eq!(bench.metadata("p").unwrap()["current_version"], 2);
}

#[tokio::test]
async fn metadata_of_others_stays() {
    let bench = Bench::new();
    bench.bao.put("p", &json!({ "a": "0" })).unwrap();
    let mark = json!({ "custom_metadata": { "managed-by": "external-secrets", "team": "blue" } });
    bench.bao.call("PUT", "kv/metadata/p", &mark).unwrap();
    let store = bench.store().await;

    store.push(&push("p", Some("b"), "1")).await.unwrap();

    assert_eq!(bench.data("p"), json!({ "a": "0", "b": "1" }));
    assert_eq!(custom(&bench, "p"), mark["custom_metadata"]);
}

#[tokio::test]
async fn what_is_not_ours_is_refused_be_it_deleted() {
    let bench = Bench::new();
    bench.bao.put("there", &json!({ "a": "theirs" })).unwrap();
    bench.bao.put("deleted", &json!({ "a": "theirs" })).unwrap();
    bench
        .bao
        .call("DELETE", "kv/data/deleted", &Value::Null)
        .unwrap();
    let store = bench.store().await;

    for key in ["there", "deleted"] {
        let error = store
            .push(&push(key, None, r#"{"a":"1"}"#))
            .await
            .unwrap_err();
        store.delete(&PushTarget::key(key)).await.unwrap();

        assert_eq!(error.kind(), &ErrorKind::Conflict, "{key}");
        assert!(
            error
                .to_string()
                .starts_with("secret not managed by external-secrets")
        );
        assert!(bench.metadata(key).is_some(), "{key}");
    }
}

#[tokio::test]
async fn a_refused_first_write_leaves_nothing_behind() {
    let bench = Bench::new();
    bench
        .bao
        .call("POST", "kv/config", &json!({ "cas_required": true }))
        .unwrap();
    let store = bench.store().await;

    let error = store.push(&push("p", Some("f"), "1")).await.unwrap_err();

    assert!(
        error
            .to_string()
            .contains("check-and-set parameter required"),
        "{error}"
    );
    assert!(
        error.to_string().contains("checkAndSet.required: true"),
        "{error}"
    );
    assert!(bench.metadata("p").is_none());
}

#[tokio::test]
async fn with_check_and_set_every_write_names_its_version() {
    let bench = Bench::new();
    bench
        .bao
        .call("POST", "kv/config", &json!({ "cas_required": true }))
        .unwrap();
    let mut spec = bench.spec();
    spec["checkAndSet"] = json!({ "required": true });
    let store = bench.connect(spec).await.unwrap();
    let target = |property: &str| PushTarget {
        property: Some(property.to_owned()),
        ..PushTarget::key("p")
    };

    store.push(&push("p", Some("f"), "1")).await.unwrap();
    store.push(&push("p", Some("g"), "2")).await.unwrap();
    store.delete(&target("f")).await.unwrap();

    assert_eq!(bench.data("p"), json!({ "g": "2" }));
    assert!(store.exists(&target("g")).await.unwrap());
    assert!(!store.exists(&target("f")).await.unwrap());
    store.delete(&target("g")).await.unwrap();
    assert!(bench.metadata("p").is_none());
    assert!(!store.exists(&PushTarget::key("p")).await.unwrap());
}

#[tokio::test]
async fn the_first_version_keeps_the_mark_in_the_secret() {
    let bench = Bench::new();
    bench.bao.mount("old", 1).unwrap();
    let mut spec = bench.spec();
    spec["path"] = "old".into();
    spec["version"] = "v1".into();
    let store = bench.connect(spec).await.unwrap();

    store.push(&push("p", Some("f"), "1")).await.unwrap();

    let stored = bench.bao.call("GET", "old/p", &Value::Null).unwrap();
    let mark = json!({ "managed-by": "external-secrets" });
    assert_eq!(stored["data"], json!({ "f": "1", "custom_metadata": mark }));
    assert_eq!(
        store.push(&push("p", Some("f"), "1")).await.unwrap(),
        Pushed::Unchanged
    );
    store.delete(&PushTarget::key("p")).await.unwrap();
    assert!(bench.bao.call("GET", "old/p", &Value::Null).is_err());
}

#[tokio::test]
async fn a_write_that_a_policy_denies_names_the_right() {
    let bench = Bench::new();
    bench
        .bao
        .policy("reader", &[("kv/*", "read,list")])
        .unwrap();
    bench.bao.token("reader", "reader").unwrap();
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "token", "reader");
    let store = bench.store().await;

    let error = store.push(&push("p", Some("f"), "1")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied, "{error}");
    assert!(
        error.to_string().contains("path \"kv/metadata/p\""),
        "{error}"
    );
}
