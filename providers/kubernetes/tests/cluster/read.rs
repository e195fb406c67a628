//! Reading and searching on a real API server.

use std::collections::BTreeMap;

use lockstep_provider_api::{ErrorKind, Find, MetadataPolicy, RemoteRef, SecretMap};
use serde_json::json;

use crate::bench::{ALL_VERBS, Bench};

#[tokio::test]
async fn values_come_as_they_are_stored() {
    let bench = Bench::new(&ALL_VERBS);
    bench.apply(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": "db", "labels": { "l": "1" } },
        "data": { "bytes": "/+8AAQ==", "empty": "", "text": "czM8Y3JldD4=" },
    }));
    let store = bench.store().await;
    let reference = RemoteRef::key("db");
    let labels = RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key("db").property("labels")
    };

    let map = store.get_map(&reference).await.unwrap();
    let labels = store.get(&labels).await.unwrap();

    let expected: SecretMap = [
        ("bytes".to_owned(), vec![0xff, 0xef, 0, 1].into()),
        ("empty".to_owned(), "".into()),
        ("text".to_owned(), "s3<cret>".into()),
    ]
    .into_iter()
    .collect();
    assert_eq!(map, expected);
    assert_eq!(labels, r#"{"l":"1"}"#.into());
}

#[tokio::test]
async fn a_missing_secret_is_absent_also_in_a_namespace_that_does_not_exist() {
    let bench = Bench::new(&ALL_VERBS);
    let admin = json!({ "t": bench.admin().token });
    bench.secret("tok", admin);
    let token = json!({ "token": { "bearerToken": { "name": "tok", "key": "t" } } });
    let mut elsewhere = bench.spec(token);
    elsewhere["remoteNamespace"] = "no-such-namespace".into();

    let here = bench.store().await.get(&RemoteRef::key("nope")).await;
    let there = bench
        .connect(elsewhere)
        .await
        .unwrap()
        .get(&RemoteRef::key("nope"))
        .await;

    for answer in [here, there] {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NotFound);
        assert_eq!(error.to_string(), "secrets \"nope\" not found");
    }
}

#[tokio::test]
async fn a_wrong_path_of_the_server_is_never_absence() {
    let bench = Bench::new(&ALL_VERBS);
    let mut spec = bench.spec(json!({ "serviceAccount": { "name": "reader" } }));
    spec["server"]["url"] = format!("{}/wrong", bench.admin().server).into();

    let answer = bench
        .connect(spec)
        .await
        .unwrap()
        .get(&RemoteRef::key("db"))
        .await;

    let error = answer.unwrap_err();
    assert!(!error.consequence().absent, "{error}");
}

#[tokio::test]
async fn a_search_reads_every_page_and_selects_by_label() {
    let bench = Bench::new(&ALL_VERBS);
    for index in 0..205 {
        let labels = json!({ "third": (index % 3 == 0).to_string() });
        let metadata = json!({ "name": format!("db-{index:03}"), "labels": labels });
        let path = format!("/api/v1/namespaces/{}/secrets", bench.namespace);
        let body = json!({ "metadata": metadata, "stringData": { "n": index.to_string() } });
        bench.api.post(&path, &body).unwrap();
    }
    let store = bench.store().await;
    let by_name = Find {
        name: Some("^db-".to_owned()),
        ..Find::default()
    };
    let by_label = Find {
        tags: Some(BTreeMap::from([("third".to_owned(), "true".to_owned())])),
        ..Find::default()
    };

    let all = store.find(&by_name).await.unwrap();
    let some = store.find(&by_label).await.unwrap();

    assert_eq!(all.len(), 205);
    assert_eq!(all.get("db-204"), Some(&r#"{"n":"204"}"#.into()));
    assert_eq!(some.len(), 69);
}

#[tokio::test]
async fn a_search_without_the_right_to_list_is_denied() {
    let bench = Bench::new(&["get"]);
    let find = Find {
        name: Some(".".to_owned()),
        ..Find::default()
    };

    let error = bench.store().await.find(&find).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(
        error
            .to_string()
            .starts_with("unable to list secrets: secrets is forbidden: ")
    );
}

#[tokio::test]
async fn large_secrets_are_searched_in_smaller_pages() {
    let bench = Bench::new(&ALL_VERBS);
    let large = "x".repeat(1_000_000);
    for index in 0..20 {
        bench.secret(&format!("large-{index}"), json!({ "v": large }));
    }
    bench.secret("small", json!({ "v": "1" }));
    let find = Find {
        name: Some("^small$".to_owned()),
        ..Find::default()
    };

    let found = bench.store().await.find(&find).await.unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["small"]);
}
