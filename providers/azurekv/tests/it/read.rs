//! Reading secrets, keys and certificates, and what is taken out of one answer.

use lockstep_provider_api::{ErrorKind, MetadataPolicy, Payload, Read, RemoteRef};
use serde_json::json;

use crate::bench::{Bench, HOST, text};

fn fetch(key: &str, property: &str) -> RemoteRef {
    RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key(key).property(property)
    }
}

#[tokio::test]
async fn a_secret_is_read_by_every_form_of_its_key() {
    let bench = Bench::new();
    bench.put("plain", &json!({ "value": "hello" }));
    let store = bench.store().await;

    for key in ["plain", "secret/plain", "secret/plain/ignored"] {
        let value = store.get(&RemoteRef::key(key)).await.unwrap();
        assert_eq!(text(&value), "hello", "{key}");
    }
    assert_eq!(bench.count("/oauth2/"), 1);
}

#[tokio::test]
async fn a_version_is_read_by_its_id_and_an_unknown_one_is_missing() {
    let bench = Bench::new();
    let first = bench.put("v", &json!({ "value": "one" }));
    bench.put("v", &json!({ "value": "two" }));
    let id = first["id"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();
    let store = bench.store().await;
    let at = |version: &str| RemoteRef {
        version: Some(version.to_owned()),
        ..RemoteRef::key("v")
    };

    assert_eq!(text(&store.get(&at(&id)).await.unwrap()), "one");
    assert_eq!(text(&store.get(&at("")).await.unwrap()), "two");
    let unknown = store.get(&at("ffff")).await.unwrap_err();
    assert_eq!(unknown.kind(), &ErrorKind::NotFound);
    let malformed = store.get(&at("..")).await.unwrap_err();
    assert_eq!(malformed.kind(), &ErrorKind::InvalidSpec);
}

#[tokio::test]
async fn a_property_is_a_path_first_and_a_name_with_dots_then() {
    let bench = Bench::new();
    let json = r#"{"a.b":"name","a":{"b":"path"},"k.l":"only name"}"#;
    bench.put("j", &json!({ "value": json }));
    let store = bench.store().await;
    let get = async |property: &str| store.get(&RemoteRef::key("j").property(property)).await;

    assert_eq!(text(&get("a.b").await.unwrap()), "path");
    assert_eq!(text(&get("k.l").await.unwrap()), "only name");
    let missing = get("nope").await.unwrap_err();
    assert_eq!(missing.to_string(), "property nope does not exist in key j");
    assert!(!missing.consequence().absent);
}

#[tokio::test]
async fn tags_and_times_are_read_in_place_of_the_value() {
    let bench = Bench::new();
    let tags = json!({ "team": "blue", "json": r#"{"a":{"b":"c"}}"#, "dotted.tag": "d" });
    let attributes = json!({ "exp": 4_102_444_800_i64 });
    bench.put(
        "t",
        &json!({ "value": "v", "tags": tags, "attributes": attributes }),
    );
    let (store, sdk) = (bench.store().await, bench.sdk_store().await);
    let get = async |property: &str| store.get(&fetch("t", property)).await;

    assert_eq!(text(&get("team").await.unwrap()), "blue");
    assert_eq!(text(&get("json.a.b").await.unwrap()), "c");
    assert_eq!(text(&get("dotted.tag").await.unwrap()), "d");
    assert_eq!(
        text(&get("attribute.expires").await.unwrap()),
        "2100-01-01T00:00:00Z"
    );
    assert_eq!(
        get("nope").await.unwrap_err().to_string(),
        "tag nope does not exist"
    );
    let times = sdk.get(&fetch("t", "attribute.expires")).await;
    assert_eq!(
        times.unwrap_err().to_string(),
        "tag attribute.expires does not exist"
    );
    let all = sdk.get(&fetch("t", "")).await.unwrap();
    assert!(text(&all).starts_with(r#"{"dotted.tag":"d","json":"#));
}

#[tokio::test]
async fn members_of_tags_carry_the_name_of_the_secret() {
    let bench = Bench::new();
    let tags = json!({ "team": "blue", "flat": r#"{"a":"1"}"#, "deep": r#"{"a":{"b":1}}"# });
    bench.put("t", &json!({ "value": "v", "tags": tags }));
    let sdk = bench.sdk_store().await;

    let all = sdk.get_map(&fetch("t", "")).await.unwrap();
    let one = sdk.get_map(&fetch("secret/t", "team")).await.unwrap();

    assert_eq!(
        all.keys().collect::<Vec<_>>(),
        ["t_deep", "t_flat_a", "t_team"]
    );
    assert_eq!(text(one.get("secret/t_team").unwrap()), "blue");
}

#[tokio::test]
async fn a_key_is_its_public_part_in_the_order_of_each_client() {
    let bench = Bench::new();
    let key = json!({ "key": { "kty": "RSA", "n": "AQ", "e": "AQAB", "d": "secret" } });
    bench.azure.vault("PUT", HOST, "/keys/k", &key).unwrap();
    let reference = RemoteRef::key("key/k");

    let old = bench.store().await.get(&reference).await.unwrap();
    let new = bench.sdk_store().await.get(&reference).await.unwrap();
    let e = bench
        .store()
        .await
        .get(&reference.clone().property("e"))
        .await
        .unwrap();

    assert!(
        text(&old).starts_with(r#"{"kid":"https://"#),
        "{}",
        text(&old)
    );
    assert!(
        text(&old).ends_with(r#""n":"AQ","e":"AQAB"}"#),
        "{}",
        text(&old)
    );
    assert!(
        text(&new).starts_with(r#"{"e":"AQAB","key_ops""#),
        "{}",
        text(&new)
    );
    assert_eq!(text(&e), "AQAB");
}

#[tokio::test]
async fn keys_and_certificates_have_no_members() {
    let bench = Bench::new();
    let store = bench.store().await;

    for (key, word) in [("cert/c", "certificate"), ("key/k", "key")] {
        let refused = store.get_map(&RemoteRef::key(key)).await.unwrap_err();
        let wanted = format!("cannot get use dataFrom to get {word} secret");
        assert_eq!(refused.to_string(), wanted);
    }
    assert!(bench.azure.seen().is_empty());
}

#[tokio::test]
async fn everything_of_a_secret_is_a_part_of_one_read() {
    let bench = Bench::new();
    bench.put(
        "j",
        &json!({ "value": r#"{"a":"1"}"#, "tags": { "team": "blue" } }),
    );
    let store = bench.store().await;
    let reads = [
        Read::Value(RemoteRef::key("j").property("a")),
        Read::Map(RemoteRef::key("secret/j")),
        Read::Value(fetch("secret/j/x", "team")),
    ];

    let whole = store.containing_read(&reads[0]).unwrap();
    assert!(
        reads
            .iter()
            .all(|read| store.containing_read(read).as_ref() == Some(&whole))
    );
    let raw = store
        .get_raw(whole.reference().unwrap())
        .await
        .map(Payload::Value);
    let parts: Vec<_> = reads
        .iter()
        .map(|read| store.extract_from(read, &raw).unwrap())
        .collect();

    assert_eq!(parts[0], Payload::Value("1".into()));
    assert_eq!(parts[2], Payload::Value("blue".into()));
    assert_eq!(bench.count("GET "), 1);
}
