//! Writing fields.

use lockstep_provider_api::{ErrorKind, PushTarget, Pushed};
use serde_json::json;

use crate::bench::{Bench, item};

fn writes(bench: &Bench) -> Vec<String> {
    let seen = bench.connect.seen().into_iter();
    let methods = seen.filter_map(|line| line.split(' ').next().map(str::to_owned));
    methods.filter(|method| method != "GET").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_item_is_made_in_the_named_vault_and_waited_for() {
    let bench = Bench::new();
    bench.connect.delay(2);
    let store = bench.store().await;
    let metadata = json!({ "tags": ["t1"], "vault": "second" });

    let pushed = store.push(&item("p", None, "one", Some(metadata))).await;

    assert_eq!(pushed.unwrap(), Pushed::Created);
    let stored = bench.connect.stored("p").unwrap();
    assert_eq!(stored["category"], "SERVER");
    assert_eq!(stored["tags"], json!(["t1"]));
    assert_eq!(stored["vault"]["id"], bench.second);
    let field = &stored["fields"][0];
    assert_eq!(
        (&field["label"], &field["value"]),
        (&json!("password"), &json!("one"))
    );
    assert_eq!(field["type"], "CONCEALED");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_never_appears_is_an_error() {
    let bench = Bench::new();
    bench.connect.delay(1000);
    let store = bench.store().await;

    let error = store.push(&item("p", None, "one", None)).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(error.to_string().starts_with(
        "timeout to wait for function to run successfully; last error was: key not found"
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_changes_one_field_and_the_same_value_is_written_all_the_same() {
    let bench = Bench::new();
    let fields = [("password", "one"), ("user", "bob")];
    bench.connect.item(&bench.first, "p", "LOGIN", &fields);
    let store = bench.store().await;

    let same = store.push(&item("p", None, "one", None)).await.unwrap();
    let other = store
        .push(&item("p", Some("user"), "eve", None))
        .await
        .unwrap();

    assert_eq!((same, other), (Pushed::Unchanged, Pushed::Updated));
    assert_eq!(writes(&bench), ["PUT", "PUT"]);
    let stored = bench.connect.stored("p").unwrap();
    assert_eq!(stored["fields"][0]["value"], "one");
    assert_eq!(stored["fields"][1]["value"], "eve");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_takes_the_field_and_with_the_last_one_the_item() {
    let bench = Bench::new();
    bench.connect.item(
        &bench.first,
        "p",
        "LOGIN",
        &[("password", "one"), ("user", "bob")],
    );
    let store = bench.store().await;
    let user = PushTarget {
        property: Some("user".to_owned()),
        ..PushTarget::key("p")
    };

    store.delete(&user).await.unwrap();
    assert!(!store.exists(&user).await.unwrap());
    assert_eq!(
        bench.connect.stored("p").unwrap()["fields"][0]["label"],
        "password"
    );
    store.delete(&PushTarget::key("p")).await.unwrap();
    assert!(bench.connect.stored("p").is_none());
    store.delete(&PushTarget::key("p")).await.unwrap();

    assert!(!store.exists(&PushTarget::key("p")).await.unwrap());
    assert_eq!(writes(&bench), ["PUT", "DELETE"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vault_that_is_not_in_the_store_takes_nothing() {
    let bench = Bench::new();
    let store = bench.store().await;

    let error = store
        .push(&item("p", None, "one", Some(json!({ "vault": "third" }))))
        .await
        .unwrap_err();

    assert_eq!(
        error.to_string(),
        "error creating 1Password Item: metadata vault 'third' not in provider vaults"
    );
    assert!(writes(&bench).is_empty());
}
