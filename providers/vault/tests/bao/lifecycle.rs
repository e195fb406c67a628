//! Deleted and destroyed versions on a real server: seen, undeleted, written past, purged.

use lockstep_provider_api::lifecycle::{Description, Owner, State, Undo};
use lockstep_provider_api::{Pushed, SharedStore};
use serde_json::json;

use crate::bench::{Bench, push};

async fn describe(store: &SharedStore, key: &str) -> Description {
    store.lifecycle().unwrap().describe(key).await.unwrap()
}

const DELETED: State = State::PendingDeletion { until: None };

#[tokio::test]
async fn deleting_hides_every_version_and_restoring_brings_the_newest_back() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    assert_eq!(describe(&store, "a").await.state, State::Missing);
    for value in [r#"{"k":"1"}"#, r#"{"k":"2"}"#] {
        life.put(&push("a", None, value)).await.unwrap();
    }
    let before = describe(&store, "a").await;

    let deleted = life.delete("a", None).await.unwrap();
    let hidden = describe(&store, "a").await;
    let again = life.delete("a", None).await.unwrap();
    let restored = life.restore("a").await.unwrap();

    assert_eq!(
        (before.state, before.owner),
        (State::Available, Owner::Ours)
    );
    assert_eq!((before.readable, before.undo), (Some(2), Undo::Open));
    assert_eq!((deleted, hidden.readable), (DELETED, Some(0)));
    assert_eq!(again, DELETED);
    assert_eq!(restored, State::Available);
    assert_eq!(bench.data("a"), json!({ "k": "2" }));
    assert_eq!(describe(&store, "a").await.readable, Some(1));
}

#[tokio::test]
async fn a_destroyed_version_is_written_past_and_never_restored() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    life.put(&push("dir/a", None, r#"{"k":"1"}"#))
        .await
        .unwrap();
    let versions = json!({ "versions": [1] });
    bench
        .bao
        .call("PUT", "kv/destroy/dir/a", &versions)
        .unwrap();

    let destroyed = describe(&store, "dir/a").await.state;
    let restored = life.restore("dir/a").await.unwrap();
    life.put(&push("dir/a", None, r#"{"k":"2"}"#))
        .await
        .unwrap();

    assert_eq!((destroyed, restored), (State::Destroyed, State::Destroyed));
    assert_eq!(describe(&store, "dir/a").await.state, State::Available);
}

#[tokio::test]
async fn purging_removes_versions_and_metadata() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    life.put(&push("a", None, r#"{"k":"1"}"#)).await.unwrap();
    life.delete("a", None).await.unwrap();

    assert_eq!(life.purge("a").await.unwrap(), State::Missing);

    assert_eq!(bench.metadata("a"), None);
    assert_eq!(life.purge("a").await.unwrap(), State::Missing);
}

#[tokio::test]
async fn somebody_elses_secret_is_refused_until_it_is_adopted() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    bench.bao.put("a", &json!({ "k": "theirs" })).unwrap();
    assert_eq!(describe(&store, "a").await.owner, Owner::Foreign);
    assert!(life.put(&push("a", None, r#"{"k":"v"}"#)).await.is_err());

    life.adopt("a").await.unwrap();

    let written = life.put(&push("a", None, r#"{"k":"v"}"#)).await.unwrap();
    assert_eq!(written, Pushed::Updated);
}

#[tokio::test]
async fn a_list_goes_into_folders_and_has_deleted_secrets() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    for key in ["app/a", "app/sub/b", "other"] {
        life.put(&push(key, None, r#"{"k":"1"}"#)).await.unwrap();
    }
    life.delete("app/a", None).await.unwrap();

    let mut listed = life.list("app/").await.unwrap();

    listed.sort();
    assert_eq!(listed, ["app/a", "app/sub/b"]);
}

#[tokio::test]
async fn the_first_version_of_the_engine_deletes_for_good() {
    let bench = Bench::new();
    bench.bao.mount("old", 1).unwrap();
    let mut spec = bench.spec();
    spec["path"] = json!("old");
    spec["version"] = json!("v1");
    let store = bench.connect(spec).await.unwrap();
    let life = store.lifecycle().unwrap();
    life.put(&push("a", None, r#"{"k":"1"}"#)).await.unwrap();

    let there = describe(&store, "a").await;
    let deleted = life.delete("a", None).await.unwrap();

    assert_eq!((there.state, there.owner), (State::Available, Owner::Ours));
    assert_eq!(there.undo, Undo::Never);
    assert_eq!(deleted, State::Missing);
    assert!(life.restore("a").await.is_err());
}

#[tokio::test]
async fn a_wrong_mount_is_no_missing_secret() {
    let bench = Bench::new();
    let mut spec = bench.spec();
    spec["path"] = json!("nowhere");
    let store = bench.connect(spec).await.unwrap();

    let described = store.lifecycle().unwrap().describe("a").await;

    assert!(described.unwrap_err().to_string().contains("nowhere"));
}
