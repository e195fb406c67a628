//! States that must be told apart, none of which is absence.

use lockstep_provider_api::{Check, ErrorKind, Health, RemoteRef};
use lockstep_testkit::onepassword::TOKEN;
use serde_json::json;

use crate::bench::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_says_why() {
    let bench = Bench::new();
    bench.connect.item(&bench.first, "same", "LOGIN", &[]);
    bench.connect.item(&bench.first, "same", "LOGIN", &[]);
    bench.connect.item(
        &bench.first,
        "db",
        "LOGIN",
        &[("twice", "1"), ("twice", "2")],
    );
    let store = bench.store().await;
    let table = [
        (
            "nope",
            "",
            "key not found in 1Password Vaults: nope in: map[first:3 second:20]",
        ),
        (
            "same",
            "",
            "expected one 1Password Item matching: 'same', got 2",
        ),
        (
            "db",
            "twice",
            "expected one 1Password ItemField matching: 'twice' in 'db', got 2",
        ),
        (
            "db",
            "file/x",
            "error finding 1Password Document: 'db', 'x'",
        ),
    ];

    for (key, property, text) in table {
        let reference = RemoteRef::key(key).property(property);
        let error = store.get(&reference).await.unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), &ErrorKind::InvalidData);
        assert!(!error.consequence().absent);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_ready_when_the_token_sees_every_vault() {
    let bench = Bench::new();
    bench.connect.vault("twice");
    bench.connect.vault("twice");
    let by_id = json!({ bench.first.as_str(): 1, "second": 2 });
    let unknown = "x".repeat(26);
    let table = [
        (
            json!({ "nope": 1 }),
            TOKEN,
            "Found 0 vaults with title \"nope\"",
        ),
        (
            json!({ "twice": 1 }),
            TOKEN,
            "Found 2 vaults with title \"twice\"",
        ),
        (
            json!({ unknown.as_str(): 1 }),
            TOKEN,
            "status 404: vault xxxxxxxxxxxxxxxxxxxxxxxxxx not found",
        ),
        (
            json!({ "first": 1 }),
            "other",
            "status 401: Invalid bearer token",
        ),
    ];

    let ready = bench.store_of(by_id, TOKEN).await.check().await;
    assert!(matches!(ready, Check::Healthy(Health::Ready)), "{ready:?}");
    for (vaults, token, text) in table {
        let store = bench.store_of(vaults, token).await;
        let Check::Failed(error) = store.check().await else {
            panic!("{text}");
        };
        assert_eq!(error.to_string(), text);
        let read = store.get(&RemoteRef::key("db")).await.unwrap_err();
        assert_eq!(
            read.to_string(),
            format!("error finding 1Password Vault: {text}")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vault_that_is_gone_is_no_missing_item_and_is_asked_for_again() {
    let bench = Bench::new();
    bench
        .connect
        .item(&bench.first, "db", "LOGIN", &[("password", "1")]);
    let store = bench.store_of(json!({ "first": 1 }), TOKEN).await;
    store.get(&RemoteRef::key("db")).await.unwrap();
    bench.connect.remove_vault(&bench.first);

    let gone = store.get(&RemoteRef::key("db")).await.unwrap_err();
    let again = store.get(&RemoteRef::key("db")).await.unwrap_err();

    assert!(
        gone.to_string()
            .starts_with("error finding 1Password Item: status 404: vault")
    );
    assert_eq!(
        again.to_string(),
        "error finding 1Password Vault: Found 0 vaults with title \"first\""
    );
}
