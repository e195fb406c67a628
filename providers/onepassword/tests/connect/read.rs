//! Fields and files of items.

use lockstep_provider_api::{ErrorKind, Payload, Read, RemoteRef, SecretMap};
use serde_json::json;

use crate::bench::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_read_by_its_label_and_the_password_without_one() {
    let bench = Bench::new();
    let fields = [
        ("username", "bob"),
        ("password", "pässwörd ✓"),
        ("my.key", "dotted"),
    ];
    bench.connect.item(&bench.second, "db", "LOGIN", &fields);
    let store = bench.store().await;

    for (property, value) in [
        ("", "pässwörd ✓"),
        ("username", "bob"),
        ("field/my.key", "dotted"),
    ] {
        let reference = RemoteRef::key("db").property(property);
        assert_eq!(store.get(&reference).await.unwrap(), value.into());
    }
    let map = store.get_map(&RemoteRef::key("db")).await.unwrap();
    let all: SecretMap = fields
        .map(|(label, value)| (label.to_owned(), value.into()))
        .into_iter()
        .collect();
    assert_eq!(map, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn vaults_are_searched_in_their_order_and_ids_in_the_first_alone() {
    let bench = Bench::new();
    let one = bench
        .connect
        .item(&bench.first, "both", "LOGIN", &[("password", "1")]);
    let two = bench
        .connect
        .item(&bench.second, "both", "LOGIN", &[("password", "2")]);
    let store = bench.store().await;

    assert_eq!(
        store.get(&RemoteRef::key("both")).await.unwrap(),
        "1".into()
    );
    assert_eq!(store.get(&RemoteRef::key(&one)).await.unwrap(), "1".into());
    let error = store.get(&RemoteRef::key(&two)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "Found 0 item(s) in vault {:?} with title {two:?}",
            bench.first
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_its_files() {
    let bench = Bench::new();
    let document = bench.connect.item(&bench.first, "doc", "DOCUMENT", &[]);
    bench.connect.file(&document, "a.bin", &[0, 255, 128, 16]);
    bench.connect.file(&document, "b.txt", b"text");
    let store = bench.store().await;

    let first = store.get(&RemoteRef::key("doc")).await.unwrap();
    let named = store
        .get(&RemoteRef::key("doc").property("b.txt"))
        .await
        .unwrap();
    let prefixed = store
        .get(&RemoteRef::key("doc").property("file/b.txt"))
        .await
        .unwrap();
    let all = store.get_map(&RemoteRef::key("doc")).await.unwrap();
    let raw = store.get_raw(&RemoteRef::key("doc")).await.unwrap();

    assert_eq!(first.expose(), [0, 255, 128, 16]);
    assert_eq!(named, "text".into());
    assert_eq!(prefixed, "text".into());
    assert_eq!(all.keys().collect::<Vec<_>>(), ["a.bin", "b.txt"]);
    let part = store.extract_from(&Read::Map(RemoteRef::key("doc")), &Ok(Payload::Value(raw)));
    assert_eq!(part.unwrap(), Payload::Map(all));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_server_has_no_files() {
    let bench = Bench::new();
    let document = bench.connect.item(&bench.first, "doc", "DOCUMENT", &[]);
    bench.connect.file(&document, "a.bin", b"x");
    let store = bench.store().await;

    for (version, serves) in [
        ("1.2.9", false),
        ("1.3.0", true),
        ("1.10.0", true),
        ("", false),
    ] {
        bench.connect.set_version(version);
        let read = store.get(&RemoteRef::key("doc")).await;
        assert_eq!(read.is_ok(), serves, "{version:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn properties_of_one_item_cost_two_requests_together() {
    let bench = Bench::new();
    bench
        .connect
        .item(&bench.first, "db", "LOGIN", &[("a", "1"), ("b", "2")]);
    let store = bench.store().await;
    let read = |property: &str| Read::Value(RemoteRef::key("db").property(property));
    let whole = store.containing_read(&read("a")).unwrap();
    assert_eq!(store.containing_read(&read("b")), Some(whole));
    store
        .get(&RemoteRef::key("db").property("a"))
        .await
        .unwrap();
    let before = bench.connect.seen().len();

    let raw = store
        .get_raw(&RemoteRef::key("db"))
        .await
        .map(Payload::Value);

    assert_eq!(bench.connect.seen().len() - before, 2);
    assert_eq!(
        store.extract_from(&read("b"), &raw).unwrap(),
        Payload::Value("2".into())
    );
    assert!(store.containing_read(&read("file/x")).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_title_with_quotes_is_no_filter() {
    let bench = Bench::new();
    bench.connect.item(
        &bench.first,
        r#"a "quoted" \ title"#,
        "LOGIN",
        &[("password", "q")],
    );
    let store = bench.store().await;

    let value = store.get(&RemoteRef::key(r#"a "quoted" \ title"#)).await;

    assert_eq!(value.unwrap(), "q".into());
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_are_refused() {
    let bench = Bench::new();
    let store = bench.store_of(json!({ "first": 1 }), "any").await;
    let reference = RemoteRef {
        version: Some("2".to_owned()),
        ..RemoteRef::key("db")
    };

    let error = store.get(&reference).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "'remoteRef.version' is not implemented in the 1Password provider"
    );
}
