//! Reading single values and maps.

use lockstep_provider_api::context::CallOutcome;
use lockstep_provider_api::{ErrorKind, RemoteRef, SecretMap};

use crate::bench::{Bench, REMOTE};

#[tokio::test]
async fn a_property_picks_a_key_of_the_remote_secret() {
    let bench = Bench::new();
    bench
        .server
        .put(REMOTE, "db", &[("user", b"bob"), ("pass", b"s3<cret>")]);

    let value = bench
        .store()
        .await
        .get(&RemoteRef::key("db").property("pass"))
        .await;

    assert_eq!(value.unwrap(), "s3<cret>".into());
}

#[tokio::test]
async fn a_map_has_every_key_with_its_bytes() {
    let bench = Bench::new();
    bench
        .server
        .put(REMOTE, "db", &[("b", &[0xff, 0xef, 0, 1])]);

    let map = bench.store().await.get_map(&RemoteRef::key("db")).await;

    let bytes = vec![0xff, 0xef, 0, 1];
    assert_eq!(
        map.unwrap(),
        SecretMap::from_iter([("b".to_owned(), bytes.into())])
    );
}

#[tokio::test]
async fn a_missing_secret_is_absent_for_single_reads_and_for_maps() {
    let store = Bench::new().store().await;

    let value = store.get(&RemoteRef::key("nope").property("x")).await;
    let map = store.get_map(&RemoteRef::key("nope")).await;

    let (value, map) = (value.unwrap_err(), map.unwrap_err());
    assert_eq!(value.kind(), &ErrorKind::NotFound);
    assert_eq!(value.to_string(), "secrets \"nope\" not found");
    assert_eq!(map.kind(), &ErrorKind::NotFound);
    assert_eq!(
        map.to_string(),
        "Secret does not exist: secrets \"nope\" not found"
    );
}

#[tokio::test]
async fn a_denied_read_is_not_absence() {
    let bench = Bench::new();
    bench.server.deny("get");

    let error = bench
        .store()
        .await
        .get(&RemoteRef::key("db"))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(
        error
            .to_string()
            .starts_with("secrets \"db\" is forbidden: User ")
    );
}

#[tokio::test]
async fn a_key_that_is_no_name_is_refused_before_anything_is_sent() {
    let bench = Bench::new();
    let store = bench.store().await;

    for key in ["", "..", "a/b"] {
        let error = store.get(&RemoteRef::key(key)).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{key:?}");
    }
    assert!(bench.server.seen().is_empty());
}

#[tokio::test]
async fn many_keys_of_one_secret_cost_one_request() {
    let bench = Bench::new();
    bench
        .server
        .put(REMOTE, "db", &[("user", b"bob"), ("pass", b"x")]);
    let references = [
        RemoteRef::key("db").property("user"),
        RemoteRef::key("nope").property("a"),
        RemoteRef::key("db").property("pass"),
        RemoteRef::key("nope").property("b"),
        RemoteRef::key("db").property("none"),
    ];

    let answers = bench.store().await.get_many(&references).await;

    assert_eq!(bench.server.seen().len(), 2);
    assert_eq!(answers[0].as_ref().unwrap(), &"bob".into());
    assert_eq!(answers[2].as_ref().unwrap(), &"x".into());
    for missing in [&answers[1], &answers[3]] {
        assert_eq!(missing.as_ref().unwrap_err().kind(), &ErrorKind::NotFound);
    }
    assert_eq!(
        answers[4].as_ref().unwrap_err().kind(),
        &ErrorKind::InvalidData
    );
}

#[tokio::test]
async fn reads_are_counted_with_their_outcome() {
    let bench = Bench::new();
    bench.server.put(REMOTE, "db", &[("user", b"bob")]);
    let store = bench.store().await;

    store.get(&RemoteRef::key("db")).await.unwrap();
    store.get(&RemoteRef::key("nope")).await.unwrap_err();

    assert_eq!(
        bench.services.calls.taken(),
        [
            ("Kubernetes", "GetSecret", CallOutcome::Success),
            ("Kubernetes", "GetSecret", CallOutcome::Error),
        ]
    );
}
