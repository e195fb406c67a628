//! Writing: what is made, what is changed, what is left alone.

use lockstep_provider_api::{ErrorKind, PushItem, PushTarget, Pushed, SecretMap, SecretValue};
use lockstep_testkit::gcp::{Fault, Refusal};
use serde_json::json;

use crate::bench::{Bench, metadata, push, spec};

const OURS: fn() -> serde_json::Value = || json!({ "managed-by": "external-secrets" });

fn property(key: &str, name: &str, value: &str) -> PushItem {
    let mut item = push(key, value);
    item.target.property = Some(name.to_owned());
    item
}

fn at(key: &str, property: &str) -> PushTarget {
    PushTarget {
        property: Some(property.to_owned()),
        ..PushTarget::key(key)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_secret_is_made_marked_and_given_one_version() {
    let bench = Bench::new();
    let store = bench.store().await;
    bench.google.take_seen();

    let pushed = store.push(&push("new", "v")).await.unwrap();

    assert_eq!(pushed, Pushed::Created);
    assert_eq!(
        bench.calls(),
        ["GetSecret", "CreateSecret", "AddSecretVersion"]
    );
    assert_eq!(bench.value("new"), "v");
    let secret = bench.secret("new");
    assert_eq!(secret["labels"], OURS());
    assert_eq!(secret["replication"], json!({ "automatic": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_push_writes_nothing_and_a_changed_one_adds_a_version() {
    let bench = Bench::new();
    let store = bench.store().await;
    let mut item = push("a", "v");
    item.metadata = metadata(json!({
        "labels": { "team": "blue" }, "annotations": { "n": "1" }, "topics": ["projects/p/topics/t"],
    }));
    store.push(&item).await.unwrap();
    bench.google.take_seen();

    let again = store.push(&item).await.unwrap();
    let calls = bench.calls();
    item.source = SecretMap::from_iter([("v".to_owned(), SecretValue::from("w"))]);
    let changed = store.push(&item).await.unwrap();

    assert_eq!(again, Pushed::Unchanged);
    assert_eq!(calls, ["GetSecret", "AccessSecretVersion"]);
    assert_eq!(changed, Pushed::Updated);
    assert_eq!(bench.versions("a"), 2);
    let secret = bench.secret("a");
    assert_eq!(secret["labels"]["team"], "blue");
    assert_eq!(secret["annotations"], json!({ "n": "1" }));
    assert_eq!(secret["topics"], json!([{ "name": "projects/p/topics/t" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_elses_secret_is_neither_changed_nor_deleted() {
    let bench = Bench::new();
    bench.seed_labelled("theirs", &["x"], &json!({ "a": "b" }));
    let store = bench.store().await;

    let error = store.push(&push("theirs", "v")).await.unwrap_err();
    store.delete(&PushTarget::key("theirs")).await.unwrap();

    assert_eq!(error.kind(), &ErrorKind::Conflict);
    let text = "secret theirs is not managed by external secrets";
    assert!(error.to_string().starts_with(text), "{error}");
    assert_eq!(bench.value("theirs"), "x");
    assert_eq!(bench.versions("theirs"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_property_is_written_into_the_json_that_is_there_and_marks_the_secret() {
    let bench = Bench::new();
    bench.seed_labelled("p", &[r#"{"z": 1}"#], &json!({ "a": "b" }));
    let store = bench.store().await;

    store.push(&property("p", "deep.x", "v")).await.unwrap();
    let again = store.push(&property("p", "deep.x", "v")).await.unwrap();

    assert_eq!(again, Pushed::Unchanged);
    assert_eq!(bench.value("p"), r#"{"z": 1,"deep":{"x":"v"}}"#);
    let labels = json!({ "a": "b", "managed-by": "external-secrets" });
    assert_eq!(bench.secret("p")["labels"], labels);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_property_does_not_replace_a_value_that_is_not_json() {
    let bench = Bench::new();
    bench.seed_labelled("p", &["plain text"], &OURS());
    let store = bench.store().await;

    let error = store.push(&property("p", "x", "v")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().contains("is not JSON"), "{error}");
    assert_eq!(bench.value("p"), "plain text");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_property_with_metadata_is_refused_before_anything_is_made() {
    let bench = Bench::new();
    let store = bench.store().await;
    let mut item = property("p", "x", "v");
    item.metadata = metadata(json!({ "labels": { "k": "v" } }));
    bench.google.take_seen();

    let error = store.push(&item).await.unwrap_err();

    assert_eq!(
        error.to_string(),
        "cannot specify metadata and property at the same time"
    );
    assert!(bench.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_of_many_properties_at_once_lose_none() {
    let bench = Bench::new();
    let store = bench.store().await;
    let items: Vec<_> = (0..8)
        .map(|number| property("p", &format!("k{number}"), "v"))
        .collect();

    let pushes = items.iter().map(|item| store.push(item));
    for pushed in futures_util::future::join_all(pushes).await {
        pushed.unwrap();
    }

    let value: serde_json::Value = serde_json::from_str(&bench.value("p")).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_property_leaves_the_others_and_the_last_one_takes_the_secret_along() {
    let bench = Bench::new();
    bench.seed_labelled("p", &[r#"{"a":"1","b":"2"}"#], &OURS());
    let store = bench.store().await;

    store.delete(&at("p", "a")).await.unwrap();
    let left = bench.value("p");
    store.delete(&at("p", "b")).await.unwrap();

    assert_eq!(left, r#"{"b":"2"}"#);
    assert!(!store.exists(&PushTarget::key("p")).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_changed_meanwhile_is_a_conflict() {
    let bench = Bench::new();
    bench.seed_labelled("a", &["x"], &OURS());
    let store = bench.store().await;
    bench.google.inject(Fault {
        call: "DeleteSecret",
        about: String::new(),
        refusal: Refusal::new(400, "FAILED_PRECONDITION", "The etag does not match"),
        times: 1,
    });

    let error = store.delete(&PushTarget::key("a")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Conflict);
    store.delete(&PushTarget::key("a")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn existence_is_told_by_enabled_versions_and_properties() {
    let bench = Bench::new();
    bench.seed("a", &[r#"{"x":"1"}"#, "two"]);
    bench.turn("a", 2, "disable");
    bench.seed("empty", &[]);
    bench.seed("dead", &["x"]);
    bench.turn("dead", 1, "disable");
    let store = bench.store().await;

    assert!(store.exists(&PushTarget::key("a")).await.unwrap());
    assert!(store.exists(&at("a", "x")).await.unwrap());
    assert!(!store.exists(&at("a", "y")).await.unwrap());
    assert!(!store.exists(&PushTarget::key("empty")).await.unwrap());
    assert!(!store.exists(&PushTarget::key("none")).await.unwrap());
    assert!(store.exists(&PushTarget::key("dead")).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_newest_version_stops_a_push_and_says_so() {
    let bench = Bench::new();
    bench.seed_labelled("a", &["one", "two"], &OURS());
    bench.turn("a", 2, "disable");
    let store = bench.store().await;

    let error = store.push(&push("a", "three")).await.unwrap_err();

    assert!(error.to_string().contains("DISABLED state"), "{error}");
    assert!(
        error.to_string().contains("enable or replace it"),
        "{error}"
    );
    assert_eq!(bench.versions("a"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_regional_secret_is_made_without_replication() {
    let bench = Bench::new();
    let mut spec = spec();
    spec["location"] = "europe-west3".into();
    let store = bench.connect(spec).await.unwrap();
    let mut item = push("r", "v");
    item.metadata = metadata(json!({ "replicationLocations": ["europe-west1"] }));

    let pushed = store.push(&item).await.unwrap();

    assert_eq!(pushed, Pushed::Created);
    let path = "projects/p/locations/europe-west3/secrets/r";
    let secret = bench.google.call("GET", path, &json!(null)).unwrap();
    assert!(secret["replication"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_secret_manager_cannot_keep_are_refused_before_a_secret_is_made() {
    let bench = Bench::new();
    let store = bench.store().await;
    bench.google.take_seen();

    for value in [String::new(), "x".repeat(65_537)] {
        let error = store.push(&push("a", value)).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }

    assert!(bench.calls().is_empty());
}
