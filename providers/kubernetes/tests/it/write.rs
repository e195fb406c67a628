//! Pushing, deleting and looking whether something is there.

use std::collections::BTreeMap;

use lockstep_provider_api::context::CallOutcome;
use lockstep_provider_api::{ErrorKind, PushItem, PushTarget, Pushed, Scope, SecretMap};
use serde_json::{Value, json};

use crate::bench::{Bench, REMOTE};

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

fn target(property: Option<&str>) -> PushTarget {
    PushTarget {
        remote_key: "pushed".to_owned(),
        property: property.map(str::to_owned),
        metadata: None,
    }
}

fn methods(bench: &Bench) -> Vec<String> {
    let seen = bench.server.seen();
    seen.into_iter().map(|request| request.method).collect()
}

fn into_namespace(namespace: &str) -> Value {
    json!({
        "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
        "kind": "PushSecretMetadata",
        "spec": { "remoteNamespace": namespace },
    })
}

#[tokio::test]
async fn a_new_secret_is_created_with_labels_and_type() {
    let bench = Bench::new();

    let pushed = bench.store().await.push(&item(Some("a"), Some("x"))).await;

    assert_eq!(pushed.unwrap(), Pushed::Created);
    let stored = bench.server.stored(REMOTE, "pushed").unwrap();
    assert_eq!(stored["data"], json!({ "x": "MQ==" }));
    assert_eq!(stored["type"], "Opaque");
    assert_eq!(stored["metadata"]["labels"], json!({ "sl": "1" }));
    assert_eq!(stored["metadata"]["annotations"], json!({ "sn": "2" }));
    let written = bench.server.seen().pop().unwrap();
    assert_eq!(written.query["fieldManager"], "external-secrets");
}

#[tokio::test]
async fn a_secret_that_somebody_makes_meanwhile_is_added_to() {
    let bench = Bench::new();
    bench.server.put(REMOTE, "pushed", &[("old", b"1")]);
    bench.server.make_first(REMOTE, "pushed");

    let pushed = bench.store().await.push(&item(Some("a"), Some("x"))).await;

    assert_eq!(pushed.unwrap(), Pushed::Updated);
    let stored = bench.server.stored(REMOTE, "pushed").unwrap();
    assert_eq!(stored["data"], json!({ "old": "MQ==", "x": "MQ==" }));
    assert_eq!(methods(&bench), ["GET", "POST", "GET", "PUT"]);
}

#[tokio::test]
async fn what_is_already_there_is_not_written_again() {
    let bench = Bench::new();
    let store = bench.store().await;
    let item = item(None, None);
    store.push(&item).await.unwrap();
    let before = bench.server.stored(REMOTE, "pushed");

    let pushed = store.push(&item).await.unwrap();

    assert_eq!(pushed, Pushed::Unchanged);
    assert_eq!(bench.server.stored(REMOTE, "pushed"), before);
    assert_eq!(methods(&bench), ["GET", "POST", "GET"]);
}

#[tokio::test]
async fn an_update_keeps_other_keys_and_fields() {
    let bench = Bench::new();
    let metadata = json!({ "labels": { "rl": "1" }, "finalizers": ["keep.me/please"] });
    bench
        .server
        .put_with(REMOTE, "pushed", &[("old", b"1")], metadata);

    let pushed = bench.store().await.push(&item(Some("a"), Some("x"))).await;

    assert_eq!(pushed.unwrap(), Pushed::Updated);
    let stored = bench.server.stored(REMOTE, "pushed").unwrap();
    assert_eq!(stored["data"], json!({ "old": "MQ==", "x": "MQ==" }));
    assert_eq!(
        stored["metadata"]["labels"],
        json!({ "rl": "1", "sl": "1" })
    );
    assert_eq!(stored["metadata"]["finalizers"], json!(["keep.me/please"]));
}

#[tokio::test]
async fn a_push_that_may_not_write_is_denied_in_the_servers_words() {
    let bench = Bench::new();
    bench.server.deny("create");

    let error = bench
        .store()
        .await
        .push(&item(Some("a"), Some("x")))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(
        error
            .to_string()
            .starts_with("secrets is forbidden: User \"reader\" cannot create resource")
    );
    let counted = bench.services.calls.taken().pop();
    assert_eq!(
        counted,
        Some(("Kubernetes", "CreateSecret", CallOutcome::Error))
    );
}

#[tokio::test]
async fn an_item_that_cannot_be_pushed_is_refused_before_anything_is_sent() {
    let bench = Bench::new();
    let mut unknown = item(None, None);
    unknown.metadata = Some(json!({ "spec": { "nosuch": 1 } }));
    let store = bench.store().await;

    assert!(store.push(&item(Some("a"), None)).await.is_err());
    assert!(store.push(&unknown).await.is_err());
    assert!(bench.server.seen().is_empty());
}

#[tokio::test]
async fn only_a_cluster_store_may_push_into_another_namespace() {
    let bench = Bench::new();
    let mut elsewhere = item(None, None);
    elsewhere.metadata = Some(into_namespace("other"));
    let account = json!({ "serviceAccount": { "name": "reader", "namespace": "conformance" } });
    let cluster = bench
        .connect(Bench::spec_with(account), Scope::Cluster { caller: None })
        .await
        .unwrap();

    let refused = bench.store().await.push(&elsewhere).await.unwrap_err();
    let pushed = cluster.push(&elsewhere).await.unwrap();

    assert_eq!(
        refused.to_string(),
        "remoteNamespace override is only supported with ClusterSecretStore"
    );
    assert_eq!(pushed, Pushed::Created);
    assert!(bench.server.stored("other", "pushed").is_some());
    assert!(bench.server.stored(REMOTE, "pushed").is_none());
}

#[tokio::test]
async fn deleting_a_property_leaves_the_other_keys() {
    let bench = Bench::new();
    bench
        .server
        .put_pushed(REMOTE, "pushed", &[("x", b"1"), ("y", b"2")]);

    bench
        .store()
        .await
        .delete(&target(Some("x")))
        .await
        .unwrap();

    let stored = bench.server.stored(REMOTE, "pushed").unwrap();
    assert_eq!(stored["data"], json!({ "y": "Mg==" }));
}

#[tokio::test]
async fn deleting_the_last_property_or_none_deletes_the_secret() {
    for property in [Some("x"), None] {
        let bench = Bench::new();
        bench.server.put_pushed(REMOTE, "pushed", &[("x", b"1")]);

        bench.store().await.delete(&target(property)).await.unwrap();

        assert!(bench.server.stored(REMOTE, "pushed").is_none());
        let preconditions = bench.server.seen().pop().unwrap().body["preconditions"].clone();
        assert_eq!(preconditions["uid"], "uid-1");
        assert_eq!(preconditions["resourceVersion"], "1");
    }
}

#[tokio::test]
async fn deleting_what_is_not_there_succeeds_and_writes_nothing() {
    let bench = Bench::new();
    bench.server.put(REMOTE, "other", &[("x", b"1")]);
    let store = bench.store().await;

    store.delete(&target(None)).await.unwrap();
    store.delete(&target(Some("x"))).await.unwrap();
    let mut absent_key = target(Some("nope"));
    absent_key.remote_key = "other".to_owned();
    store.delete(&absent_key).await.unwrap();

    assert_eq!(methods(&bench), ["GET", "GET", "GET"]);
}

#[tokio::test]
async fn existence_is_that_of_the_secret_or_of_the_key() {
    let bench = Bench::new();
    bench.server.put(REMOTE, "pushed", &[("x", b"1")]);
    let store = bench.store().await;

    assert!(store.exists(&target(None)).await.unwrap());
    assert!(store.exists(&target(Some("x"))).await.unwrap());
    assert!(!store.exists(&target(Some("y"))).await.unwrap());
    assert!(!store.exists(&PushTarget::key("nope")).await.unwrap());
    bench.server.deny("get");
    let error = store.exists(&target(None)).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Denied);
}

fn elsewhere(property: Option<&str>) -> PushTarget {
    PushTarget {
        metadata: Some(into_namespace("other")),
        ..target(property)
    }
}

#[tokio::test]
async fn deleting_and_asking_look_where_the_push_wrote_to() {
    let bench = Bench::new();
    let account = json!({ "serviceAccount": { "name": "reader", "namespace": "conformance" } });
    let cluster = bench
        .connect(Bench::spec_with(account), Scope::Cluster { caller: None })
        .await
        .unwrap();
    // Of the same name, in the store's own namespace, and pushed as well.
    bench.server.put_pushed(REMOTE, "pushed", &[("x", b"9")]);
    let mut item = item(Some("a"), Some("x"));
    item.metadata = Some(into_namespace("other"));

    assert!(!cluster.exists(&elsewhere(Some("x"))).await.unwrap());
    cluster.push(&item).await.unwrap();
    assert!(cluster.exists(&elsewhere(Some("x"))).await.unwrap());
    cluster.delete(&elsewhere(Some("x"))).await.unwrap();

    assert!(!cluster.exists(&elsewhere(None)).await.unwrap());
    assert!(bench.server.stored("other", "pushed").is_none());
    let own = bench.server.stored(REMOTE, "pushed").unwrap();
    assert_eq!(own["data"], json!({ "x": "OQ==" }));
}

#[tokio::test]
async fn a_namespaced_store_deletes_and_asks_in_no_other_namespace() {
    let bench = Bench::new();
    bench.server.put_pushed("other", "pushed", &[("x", b"1")]);
    let store = bench.store().await;

    for property in [None, Some("x")] {
        let refused = store.delete(&elsewhere(property)).await.unwrap_err();
        assert_eq!(refused.kind(), &ErrorKind::InvalidSpec);
        assert!(store.exists(&elsewhere(property)).await.is_err());
    }
    assert!(bench.server.seen().is_empty());
}

#[tokio::test]
async fn what_nobody_pushed_is_not_deleted() {
    let bench = Bench::new();
    bench
        .server
        .put(REMOTE, "pushed", &[("x", b"1"), ("y", b"2")]);
    let store = bench.store().await;

    store.delete(&target(None)).await.unwrap();
    store.delete(&target(Some("x"))).await.unwrap();
    assert_eq!(methods(&bench), ["GET", "GET"]);
    store.push(&item(Some("a"), Some("z"))).await.unwrap();
    store.delete(&target(Some("x"))).await.unwrap();
    store.delete(&target(Some("z"))).await.unwrap();

    let stored = bench.server.stored(REMOTE, "pushed").unwrap();
    assert_eq!(stored["data"], json!({ "x": "MQ==", "y": "Mg==" }));
}
