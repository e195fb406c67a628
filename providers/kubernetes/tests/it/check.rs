//! Whether a store is ready.

use std::collections::BTreeMap;

use lockstep_provider_api::conformance::{NAMESPACE, services};
use lockstep_provider_api::context::CallOutcome;
use lockstep_provider_api::{Check, Entry, ErrorKind, Health, RemoteRef, Scope};
use lockstep_provider_kubernetes::Kubernetes;

use crate::bench::Bench;

#[tokio::test]
async fn a_store_that_may_get_secrets_is_ready() {
    let bench = Bench::new();

    let check = bench.store().await.check().await;

    assert!(matches!(check, Check::Healthy(Health::Ready)));
    assert_eq!(bench.server.seen()[0].body["spec"]["namespace"], "remote");
    assert_eq!(
        bench.services.calls.taken(),
        [(
            "Kubernetes",
            "CreateSelfSubjectRulesReview",
            CallOutcome::Success
        )]
    );
}

#[tokio::test]
async fn where_rules_cannot_be_listed_the_right_itself_is_asked_for() {
    let bench = Bench::new();
    bench.server.hide_rules();

    let check = bench.store().await.check().await;

    assert!(matches!(check, Check::Healthy(Health::Ready)));
    let asked = bench.server.seen().pop().unwrap().body["spec"]["resourceAttributes"].clone();
    assert_eq!(asked["verb"], "get");
    assert_eq!(asked["resource"], "secrets");
}

#[tokio::test]
async fn a_store_that_may_not_get_secrets_fails() {
    let bench = Bench::new();
    bench.server.deny("get");

    let check = bench.store().await.check().await;

    let Check::Failed(error) = check else {
        panic!("{check:?}")
    };
    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert_eq!(error.to_string(), "client is not allowed to get secrets");
}

#[tokio::test]
async fn a_server_that_cannot_be_asked_leaves_it_open() {
    let unplugged = services();
    unplugged
        .objects
        .put_service_account(NAMESPACE, "reader", BTreeMap::new());
    let store = Entry::of::<Kubernetes>()
        .connect(Bench::spec(), unplugged.ctx_in("s", Bench::namespaced()))
        .await
        .unwrap();

    let check = store.check().await;

    let Check::Undetermined(error) = check else {
        panic!("{check:?}")
    };
    assert!(
        error
            .to_string()
            .starts_with("could not verify if client is valid: ")
    );
}

#[tokio::test]
async fn a_store_that_signs_in_as_its_caller_is_unknown_until_one_comes() {
    let bench = Bench::new();
    let cluster = |caller: Option<&str>| Scope::Cluster {
        caller: caller.map(str::to_owned),
    };

    let alone = bench.connect(Bench::spec(), cluster(None)).await.unwrap();
    let called = bench
        .connect(Bench::spec(), cluster(Some("conformance")))
        .await
        .unwrap();

    assert!(matches!(
        alone.check().await,
        Check::Healthy(Health::Unknown)
    ));
    assert!(matches!(
        called.check().await,
        Check::Healthy(Health::Unknown)
    ));
    assert!(bench.server.seen().is_empty());
    let error = alone.get(&RemoteRef::key("db")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
}
