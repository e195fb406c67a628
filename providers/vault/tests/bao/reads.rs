//! Reading: values, properties, versions, maps and metadata, from both versions of the engine.

use lockstep_provider_api::{MetadataPolicy, RemoteRef};
use serde_json::{Value, json};

use crate::bench::{Bench, read};

#[tokio::test]
async fn a_secret_a_property_and_a_version_are_read() {
    let bench = Bench::new();
    bench.bao.put("dir/x", &json!({ "a": "one" })).unwrap();
    bench
        .bao
        .put("dir/x", &json!({ "a": "two", "o": { "n": 1 } }))
        .unwrap();
    let store = bench.store().await;

    let old = RemoteRef {
        version: Some("1".to_owned()),
        ..RemoteRef::key("dir/x").property("a")
    };

    let whole = read(&store, RemoteRef::key("dir/x")).await.unwrap();
    assert_eq!(whole, r#"{"a":"two","o":{"n":1}}"#);
    let nested = RemoteRef::key("kv/data/dir/x").property("o.n");
    assert_eq!(read(&store, nested).await.unwrap(), "1");
    assert_eq!(read(&store, old).await.unwrap(), "one");
}

#[tokio::test]
async fn the_first_version_of_the_engine_is_read() {
    let bench = Bench::new();
    bench.bao.mount("old", 1).unwrap();
    bench
        .bao
        .call("PUT", "old/x", &json!({ "a": "1" }))
        .unwrap();
    let mut spec = bench.spec();
    spec["path"] = "old".into();
    spec["version"] = "v1".into();

    let store = bench.connect(spec).await.unwrap();

    let value = read(&store, RemoteRef::key("x").property("a")).await;
    assert_eq!(value.unwrap(), "1");
    let map = store.get_map(&RemoteRef::key("x")).await.unwrap();
    assert_eq!(map.get("a"), Some(&"1".into()));
}

#[tokio::test]
async fn metadata_is_read_whole_and_by_name() {
    let bench = Bench::new();
    bench.bao.put("x", &json!({ "a": "1" })).unwrap();
    let custom = json!({ "custom_metadata": { "team": "blue" } });
    bench.bao.call("PUT", "kv/metadata/x", &custom).unwrap();
    let store = bench.store().await;
    let fetch = |property: &str| RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key("x").property(property)
    };

    let team = read(&store, fetch("team")).await.unwrap();
    let version = read(&store, fetch("current_version")).await.unwrap();
    let whole: Value = serde_json::from_str(&read(&store, fetch("")).await.unwrap()).unwrap();

    assert_eq!((team.as_str(), version.as_str()), ("blue", "1"));
    assert_eq!(whole["team"], "blue");
}

#[tokio::test]
async fn a_namespace_holds_secrets_of_its_own() {
    let bench = Bench::new();
    bench
        .bao
        .call("POST", "sys/namespaces/team", &json!({}))
        .unwrap();
    let engine = json!({ "type": "kv", "options": { "version": "2" } });
    bench
        .bao
        .call_in("team", "POST", "sys/mounts/kv", &engine)
        .unwrap();
    let secret = json!({ "data": { "a": "inside" } });
    bench
        .bao
        .call_in("team", "PUT", "kv/data/x", &secret)
        .unwrap();
    let mut spec = bench.spec();
    spec["namespace"] = "team".into();

    let store = bench.connect(spec).await.unwrap();

    let value = read(&store, RemoteRef::key("x").property("a")).await;
    assert_eq!(value.unwrap(), "inside");
}
