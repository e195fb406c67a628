//! Disabled and destroyed versions: seen, enabled, written past; and the end of a secret.

use lockstep_provider_api::lifecycle::{Description, Owner, State, Undo, Writing};
use lockstep_provider_api::{Pushed, SharedStore};
use serde_json::json;

use crate::bench::{Bench, push};

async fn describe(store: &SharedStore, key: &str) -> Description {
    store.lifecycle().unwrap().describe(key).await.unwrap()
}

fn ours() -> serde_json::Value {
    json!({ "managed-by": "external-secrets" })
}

#[tokio::test]
async fn states_of_the_newest_version_are_told_apart() {
    let bench = Bench::new();
    let store = bench.store().await;
    bench.seed_labelled("live", &["1"], &ours());
    bench.seed("foreign", &["1"]);
    bench.seed_labelled("empty", &[], &ours());
    bench.seed_labelled("off", &["1", "2"], &ours());
    bench.turn("off", 2, "disable");
    bench.seed_labelled("gone", &["1"], &ours());
    bench.turn("gone", 1, "destroy");

    let states = ["none", "live", "foreign", "empty", "off", "gone"];
    let mut found = Vec::new();
    for key in states {
        let one = describe(&store, key).await;
        assert_eq!((one.undo, one.writing), (Undo::Open, Writing::Direct));
        found.push((one.state, one.owner, one.readable));
    }

    assert_eq!(
        found,
        [
            (State::Missing, Owner::Unknown, Some(0)),
            (State::Available, Owner::Ours, Some(1)),
            (State::Available, Owner::Foreign, Some(1)),
            (State::NoVersion, Owner::Ours, Some(0)),
            (State::Disabled, Owner::Ours, Some(1)),
            (State::Destroyed, Owner::Ours, Some(0)),
        ]
    );
}

#[tokio::test]
async fn deleting_disables_every_version_and_restoring_enables_the_newest() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    bench.seed_labelled("a", &["1", "2", "3"], &ours());
    bench.turn("a", 3, "destroy");

    let deleted = life.delete("a", None).await.unwrap();
    let left = describe(&store, "a").await.readable;
    let again = life.delete("a", None).await.unwrap();
    life.restore("a").await.unwrap();

    assert_eq!((deleted, again), (State::Destroyed, State::Destroyed));
    assert_eq!(left, Some(0));
    assert_eq!(describe(&store, "a").await.readable, Some(1));
    let path = "projects/p/secrets/a/versions/2:access";
    assert!(bench.google.call("GET", path, &json!(null)).is_ok());
}

#[tokio::test]
async fn a_new_version_is_written_past_a_dead_one() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    for (key, turn) in [("off", "disable"), ("gone", "destroy")] {
        bench.seed_labelled(key, &["1"], &ours());
        bench.turn(key, 1, turn);

        let written = life.put(&push(key, "new")).await.unwrap();

        assert_eq!(written, Pushed::Updated);
        assert_eq!(bench.value(key), "new");
        let same = life.put(&push(key, "new")).await.unwrap();
        assert_eq!(same, Pushed::Unchanged);
    }
    assert_eq!(life.put(&push("new", "v")).await.unwrap(), Pushed::Created);
}

#[tokio::test]
async fn somebody_elses_dead_version_is_not_written_past() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    bench.seed_labelled("a", &["1"], &json!({ "team": "x" }));
    bench.turn("a", 1, "disable");

    assert!(life.put(&push("a", "new")).await.is_err());
    life.adopt("a").await.unwrap();

    assert_eq!(life.put(&push("a", "new")).await.unwrap(), Pushed::Updated);
    assert_eq!(bench.secret("a")["labels"]["team"], "x");
}

#[tokio::test]
async fn purging_removes_the_secret_and_a_destroyed_one_cannot_be_restored() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    bench.seed_labelled("a", &["1"], &ours());
    bench.turn("a", 1, "destroy");

    let refused = life.restore("a").await.unwrap_err();
    let listed = life.list("").await.unwrap();
    let purged = life.purge("a").await.unwrap();

    assert!(
        refused.to_string().contains("no version is left"),
        "{refused}"
    );
    assert_eq!(listed, ["a"]);
    assert_eq!(purged, State::Missing);
    assert_eq!(life.purge("a").await.unwrap(), State::Missing);
}
