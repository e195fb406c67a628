//! Which version is current, found out without reading a value.

use lockstep_provider_api::{MetadataPolicy, RemoteRef};

use crate::bench::{Bench, READER};

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_asks_for_the_version_and_reads_nothing() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    let store = bench.store().await;
    let reference = RemoteRef::key("a");
    bench.google.take_seen();

    let before = store.version(&reference, true).await.unwrap();
    bench.google.add("projects/p", "a", b"two").unwrap();
    let after = store.version(&reference, true).await.unwrap();

    assert_eq!(before.as_deref(), Some("1"));
    assert_eq!(after.as_deref(), Some("2"));
    assert_eq!(bench.calls(), ["GetSecretVersion", "GetSecretVersion"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_cannot_be_read_is_left_to_the_read() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    bench.turn("a", 1, "disable");
    let store = bench.store().await;
    let labels = RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key("a")
    };

    assert_eq!(
        store.version(&RemoteRef::key("a"), true).await.unwrap(),
        None
    );
    assert_eq!(store.version(&labels, true).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_to_look_at_versions_probing_ends_after_one_refusal() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    bench.google.deny(READER, "GetSecretVersion");
    let store = bench.store().await;

    for _ in 0..3 {
        assert_eq!(
            store.version(&RemoteRef::key("a"), true).await.unwrap(),
            None
        );
    }

    assert_eq!(bench.calls(), ["GetSecretVersion"]);
}
