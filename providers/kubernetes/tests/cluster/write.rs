//! Pushing and deleting on a real API server.

use std::collections::BTreeMap;

use lockstep_provider_api::{ErrorKind, PushItem, PushTarget, Pushed, SecretMap};
use serde_json::json;

use crate::bench::{ALL_VERBS, Bench};

fn target(property: Option<&str>) -> PushTarget {
    PushTarget {
        remote_key: "pushed".to_owned(),
        property: property.map(str::to_owned),
        metadata: None,
    }
}

fn item(secret_key: Option<&str>, property: Option<&str>) -> PushItem {
    PushItem {
        target: target(property),
        secret_key: secret_key.map(str::to_owned),
        source: SecretMap::from_iter([("a".to_owned(), "1".into()), ("b".to_owned(), "2".into())]),
        secret_type: None,
        labels: BTreeMap::from([("sl".to_owned(), "1".to_owned())]),
        annotations: BTreeMap::from([("sn".to_owned(), "2".to_owned())]),
        metadata: None,
        namespace: None,
    }
}

#[tokio::test]
async fn a_secret_is_created_changed_and_left_alone() {
    let bench = Bench::new(&ALL_VERBS);
    let store = bench.store().await;

    let created = store.push(&item(Some("a"), Some("x"))).await.unwrap();
    let changed = store.push(&item(Some("b"), Some("y"))).await.unwrap();
    let before = bench.stored("pushed").unwrap();
    let unchanged = store.push(&item(Some("b"), Some("y"))).await.unwrap();

    assert_eq!(
        [created, changed, unchanged],
        [Pushed::Created, Pushed::Updated, Pushed::Unchanged]
    );
    let after = bench.stored("pushed").unwrap();
    assert_eq!(after, before);
    assert_eq!(after["data"], json!({ "x": "MQ==", "y": "Mg==" }));
    assert_eq!(after["metadata"]["labels"], json!({ "sl": "1" }));
    assert_eq!(
        after["metadata"]["managedFields"][0]["manager"],
        "external-secrets"
    );
    assert_eq!(after["metadata"]["managedFields"][0]["operation"], "Update");
}

#[tokio::test]
async fn a_whole_secret_replaces_the_data_but_not_what_others_put_into_the_metadata() {
    let bench = Bench::new(&ALL_VERBS);
    bench.apply(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": "pushed", "labels": { "rl": "1" }, "finalizers": ["a.b/c"] },
        "stringData": { "old": "1" },
    }));

    let pushed = bench.store().await.push(&item(None, None)).await.unwrap();

    assert_eq!(pushed, Pushed::Updated);
    let stored = bench.stored("pushed").unwrap();
    assert_eq!(stored["data"], json!({ "a": "MQ==", "b": "Mg==" }));
    assert_eq!(
        stored["metadata"]["labels"],
        json!({ "rl": "1", "sl": "1" })
    );
    assert_eq!(stored["metadata"]["finalizers"], json!(["a.b/c"]));
    let path = format!("/api/v1/namespaces/{}/secrets/pushed", bench.namespace);
    let none = json!({ "metadata": { "finalizers": null } });
    bench.api.merge(&path, &none).unwrap();
}

#[tokio::test]
async fn keys_are_deleted_one_by_one_and_the_secret_with_the_last() {
    let bench = Bench::new(&ALL_VERBS);
    let store = bench.store().await;
    store.push(&item(Some("a"), Some("x"))).await.unwrap();
    store.push(&item(Some("b"), Some("y"))).await.unwrap();

    assert!(store.exists(&target(Some("x"))).await.unwrap());
    store.delete(&target(Some("x"))).await.unwrap();
    assert!(!store.exists(&target(Some("x"))).await.unwrap());
    assert!(store.exists(&target(None)).await.unwrap());
    store.delete(&target(Some("y"))).await.unwrap();
    store.delete(&target(Some("y"))).await.unwrap();

    assert_eq!(bench.stored("pushed"), None);
    assert!(!store.exists(&target(None)).await.unwrap());
}

#[tokio::test]
async fn a_push_without_the_right_to_write_is_denied() {
    let bench = Bench::new(&["get", "list"]);

    let error = bench
        .store()
        .await
        .push(&item(None, None))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(error.to_string().starts_with(&format!(
        "secrets is forbidden: User \"system:serviceaccount:{}:reader\" cannot create resource",
        bench.namespace
    )));
}

#[tokio::test]
async fn an_immutable_secret_and_a_changed_type_are_refused_in_the_servers_words() {
    let bench = Bench::new(&ALL_VERBS);
    bench.apply(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": "pushed" },
        "stringData": { "old": "1" },
        "immutable": true,
    }));
    let mut typed = item(None, None);
    typed.secret_type = Some("kubernetes.io/basic-auth".to_owned());
    let store = bench.store().await;

    for item in [item(None, None), typed] {
        let error = store.push(&item).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(error.to_string().contains("is immutable"), "{error}");
    }
    assert_eq!(
        bench.stored("pushed").unwrap()["data"],
        json!({ "old": "MQ==" })
    );
}

#[tokio::test]
async fn a_secret_of_the_largest_size_is_pushed_and_a_larger_one_refused() {
    let bench = Bench::new(&ALL_VERBS);
    let of_size = |size: usize| {
        let mut item = item(None, None);
        item.source = SecretMap::from_iter([("v".to_owned(), vec![7; size].into())]);
        item
    };
    let store = bench.store().await;

    let largest = store.push(&of_size(1024 * 1024)).await.unwrap();
    let error = store.push(&of_size(1024 * 1024 + 1)).await.unwrap_err();

    assert_eq!(largest, Pushed::Created);
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
}

#[tokio::test]
async fn pushing_into_a_namespace_that_does_not_exist_is_no_absence() {
    let bench = Bench::new(&ALL_VERBS);
    bench.secret("tok", json!({ "t": bench.admin().token }));
    let token = json!({ "token": { "bearerToken": { "name": "tok", "key": "t" } } });
    let mut spec = bench.spec(token);
    spec["remoteNamespace"] = "no-such-namespace".into();

    let error = bench
        .connect(spec)
        .await
        .unwrap()
        .push(&item(None, None))
        .await
        .unwrap_err();

    assert!(!error.consequence().absent);
    assert_eq!(
        error.to_string(),
        "namespaces \"no-such-namespace\" not found"
    );
}

#[tokio::test]
async fn what_nobody_pushed_is_left_alone() {
    let bench = Bench::new(&ALL_VERBS);
    bench.secret("pushed", json!({ "x": "1", "y": "2" }));
    let before = bench.stored("pushed").unwrap();
    let store = bench.store().await;

    store.delete(&target(None)).await.unwrap();
    store.delete(&target(Some("x"))).await.unwrap();
    assert_eq!(bench.stored("pushed").unwrap(), before);
    store.push(&item(Some("a"), Some("z"))).await.unwrap();
    store.delete(&target(Some("x"))).await.unwrap();
    store.delete(&target(Some("z"))).await.unwrap();

    let after = bench.stored("pushed").unwrap();
    assert_eq!(after["data"], before["data"]);
}
