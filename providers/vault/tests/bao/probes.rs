//! Looking whether a value changed without reading it.

use lockstep_provider_api::RemoteRef;
use lockstep_provider_api::conformance::NAMESPACE;
use serde_json::{Value, json};

use crate::bench::Bench;

#[tokio::test]
async fn the_version_changes_with_the_value_and_no_value_is_read() {
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    let store = bench.store().await;
    let reference = RemoteRef::key("x").property("a");
    bench.calls();

    let first = store.version(&reference, true).await.unwrap();
    let again = store.version(&reference, true).await.unwrap();
    bench.bao.put("x", &json!({ "a": "2" })).unwrap();
    let second = store.version(&reference, true).await.unwrap();
    bench.bao.call("DELETE", "kv/data/x", &Value::Null).unwrap();
    let deleted = store.version(&reference, true).await.unwrap();

    assert!(first.is_some());
    assert_eq!(first, again);
    assert_ne!(first, second);
    assert_ne!(second, deleted);
    assert!(bench.calls().iter().all(|call| call == "GET kv/metadata/x"));
}

#[tokio::test]
async fn without_the_right_to_read_metadata_nothing_is_told_and_nobody_asks_again() {
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    bench
        .bao
        .policy("reader", &[("kv/data/*", "read")])
        .unwrap();
    bench.bao.token("reader", "reader").unwrap();
    bench
        .objects
        .put_secret(NAMESPACE, "creds", "token", "reader");
    let store = bench.store().await;
    let reference = RemoteRef::key("x");
    bench.calls();

    let first = store.version(&reference, true).await.unwrap();
    let second = store.version(&reference, true).await.unwrap();

    assert_eq!((first, second), (None, None));
    assert_eq!(bench.calls(), ["GET kv/metadata/x"]);
}
