//! Soft deletion: seen, recovered, purged, protected; and disabled secrets.

use lockstep_provider_api::lifecycle::{Description, Owner, Purging, State, Undo, Writing};
use lockstep_provider_api::{Pushed, SharedStore};
use lockstep_testkit::azure::Fault;
use serde_json::json;

use crate::bench::{Bench, HOST, push};

async fn describe(store: &SharedStore, key: &str) -> Description {
    store.lifecycle().unwrap().describe(key).await.unwrap()
}

#[tokio::test]
async fn a_deleted_secret_is_recovered_and_then_written() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    assert_eq!(describe(&store, "a").await.state, State::Missing);
    life.put(&push("a", "old")).await.unwrap();
    let before = describe(&store, "a").await;

    let deleted = life.delete("a", None).await.unwrap();
    let again = life.delete("a", None).await.unwrap();
    let pending = describe(&store, "a").await;
    let restored = life.restore("a").await.unwrap();
    let written = life.put(&push("a", "new")).await.unwrap();

    assert_eq!(
        (before.state, before.owner),
        (State::Available, Owner::Ours)
    );
    assert!(matches!(before.undo, Undo::Days(_)), "{before:?}");
    assert!(matches!(deleted, State::PendingDeletion { until: Some(_) }));
    assert_eq!(again, deleted);
    assert_eq!((pending.state, pending.owner), (deleted, Owner::Ours));
    assert_eq!(pending.writing, Writing::AfterRestore);
    assert_eq!((restored, written), (State::Available, Pushed::Updated));
}

#[tokio::test]
async fn purging_frees_the_name_of_a_live_and_of_a_deleted_secret() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    for deleted in [false, true] {
        life.put(&push("a", "v")).await.unwrap();
        if deleted {
            life.delete("a", None).await.unwrap();
        }

        assert_eq!(life.purge("a").await.unwrap(), State::Missing);

        assert_eq!(describe(&store, "a").await.state, State::Missing);
    }
    assert_eq!(life.purge("a").await.unwrap(), State::Missing);
}

#[tokio::test]
async fn purge_protection_is_known_before_anything_is_deleted() {
    let bench = Bench::new();
    bench.azure.protect(true);
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    life.put(&push("a", "v")).await.unwrap();

    let before = describe(&store, "a").await;
    let refused = life.purge("a").await.unwrap_err();
    let deleted = life.delete("a", None).await.unwrap();

    assert_eq!(before.purging, Purging::Blocked);
    assert!(
        refused.to_string().contains("purge protection"),
        "{refused}"
    );
    assert!(matches!(deleted, State::PurgeBlocked { until: Some(_) }));
    assert_eq!(life.restore("a").await.unwrap(), State::Available);
}

#[tokio::test]
async fn a_disabled_secret_is_enabled_or_written_past() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    let off = json!({ "attributes": { "enabled": false } });
    for name in ["a", "b"] {
        life.put(&push(name, "old")).await.unwrap();
        let path = format!("/secrets/{name}");
        bench.azure.vault("PATCH", HOST, &path, &off).unwrap();
        let disabled = describe(&store, name).await;
        assert_eq!(
            (disabled.state, disabled.owner),
            (State::Disabled, Owner::Ours)
        );
    }

    let restored = life.restore("a").await.unwrap();
    let written = life.put(&push("b", "new")).await.unwrap();

    assert_eq!((restored, written), (State::Available, Pushed::Updated));
    assert_eq!(describe(&store, "b").await.state, State::Available);
    assert_eq!(bench.ask("GET", "/secrets/b")["value"], "new");
    assert_eq!(bench.ask("GET", "/secrets/a")["value"], "old");
}

#[tokio::test]
async fn a_write_waits_while_the_vault_still_recovers() {
    let bench = Bench::new();
    let store = bench.store().await;
    let busy = json!({ "error": { "code": "Conflict", "message": "Secret a is currently being recovered.",
        "innererror": { "code": "ObjectIsBeingRecovered" } } });
    bench.azure.inject(Fault {
        text: format!("PUT {HOST}/secrets/a"),
        status: 409,
        body: busy,
        headers: Vec::new(),
        times: 1,
    });

    let written = store.lifecycle().unwrap().put(&push("a", "v")).await;

    assert_eq!(written.unwrap(), Pushed::Created);
    assert_eq!(bench.count("PUT"), 2);
}

#[tokio::test]
async fn a_list_has_live_and_deleted_secrets_and_adopting_marks_one() {
    let bench = Bench::new();
    let store = bench.store().await;
    let life = store.lifecycle().unwrap();
    bench.put(
        "app-foreign",
        &json!({ "value": "v", "tags": { "team": "a" } }),
    );
    life.put(&push("app-gone", "v")).await.unwrap();
    life.put(&push("other", "v")).await.unwrap();
    life.delete("app-gone", None).await.unwrap();

    let listed = life.list("app-").await.unwrap();
    let before = describe(&store, "app-foreign").await.owner;
    life.adopt("app-foreign").await.unwrap();

    assert_eq!(listed, ["app-foreign", "app-gone"]);
    assert_eq!(before, Owner::Foreign);
    assert_eq!(describe(&store, "app-foreign").await.owner, Owner::Ours);
    assert_eq!(
        bench.ask("GET", "/secrets/app-foreign")["tags"]["team"],
        "a"
    );
}
