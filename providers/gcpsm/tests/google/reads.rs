//! Reading: versions, properties, metadata, regional secrets, and the states a secret can be in.

use lockstep_provider_api::{ErrorKind, MetadataPolicy, RemoteRef};
use lockstep_testkit::gcp::{Fault, Refusal};
use serde_json::json;

use crate::bench::{Bench, PLACE, READER, spec};

fn versioned(key: &str, version: &str) -> RemoteRef {
    RemoteRef {
        version: Some(version.to_owned()),
        ..RemoteRef::key(key)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_reads_values_with_one_token_and_one_call_each() {
    let bench = Bench::new();
    bench.seed("a", &["one", "two"]);
    let store = bench.store().await;

    let newest = store.get(&RemoteRef::key("a")).await.unwrap();
    let pinned = store.get(&versioned("a", "1")).await.unwrap();
    bench.store().await.get(&RemoteRef::key("a")).await.unwrap();

    assert_eq!(newest, "two".into());
    assert_eq!(pinned, "one".into());
    let calls: Vec<_> = bench
        .google
        .seen()
        .into_iter()
        .map(|one| one.call)
        .collect();
    let read = "AccessSecretVersion";
    assert_eq!(calls, ["token key", read, read, read]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alias_is_a_version() {
    let bench = Bench::new();
    bench.seed("a", &["one", "two"]);
    let body = json!({ "versionAliases": { "stable": "1" } });
    let path = format!("{PLACE}/secrets/a?updateMask=versionAliases");
    bench.google.call("PATCH", &path, &body).unwrap();

    let value = bench.store().await.get(&versioned("a", "stable")).await;

    assert_eq!(value.unwrap(), "one".into());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_regional_store_reads_its_location_only() {
    let bench = Bench::new();
    bench.seed("r", &["global"]);
    let place = format!("{PLACE}/locations/europe-west3");
    bench
        .google
        .seed(&place, "r", &[b"regional"], &json!({}))
        .unwrap();
    let mut spec = spec();
    spec["location"] = "europe-west3".into();

    let value = bench.connect(spec).await.unwrap();
    let value = value.get(&RemoteRef::key("r")).await.unwrap();

    assert_eq!(value, "regional".into());
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_is_read_in_place_of_the_value() {
    let bench = Bench::new();
    bench.seed_labelled("m", &["v"], &json!({ "team": "blue" }));
    let reference = RemoteRef {
        metadata: MetadataPolicy::Fetch,
        ..RemoteRef::key("m").property("labels.team")
    };

    let value = bench.store().await.get(&reference).await.unwrap();

    assert_eq!(value, "blue".into());
    assert_eq!(bench.calls(), ["GetSecret"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_is_absent_with_upstreams_text() {
    let bench = Bench::new();

    let error = bench.store().await.get(&RemoteRef::key("x")).await;

    let error = error.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "unable to access Secret from SecretManager Client: Secret does not exist"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_without_versions_is_absent_and_told_apart() {
    let bench = Bench::new();
    bench.seed("empty", &[]);

    let error = bench.store().await.get(&RemoteRef::key("empty")).await;

    let error = error.unwrap_err();
    let ErrorKind::Tombstoned(tombstone) = error.kind() else {
        panic!("{error}");
    };
    assert_eq!(tombstone.state, "without a version");
    assert!(error.consequence().absent);
    let text = error.to_string();
    let start = "unable to access Secret from SecretManager Client: Secret does not exist (";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("gcloud secrets versions add empty"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_to_look_a_secret_without_versions_is_just_missing_and_asked_once() {
    let bench = Bench::new();
    bench.seed("empty", &[]);
    bench.google.deny(READER, "GetSecret");
    let store = bench.store().await;
    let reference = RemoteRef::key("empty");

    let first = store.get(&reference).await.unwrap_err();
    let second = store.get(&reference).await.unwrap_err();

    assert_eq!(first.kind(), &ErrorKind::NotFound);
    assert_eq!(second.kind(), &ErrorKind::NotFound);
    let looks = bench.calls();
    let looks = looks.iter().filter(|call| *call == "GetSecret");
    assert_eq!(looks.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_destroyed_and_doomed_versions_are_errors_that_name_state_and_remedy() {
    let bench = Bench::new();
    for name in ["disabled", "destroyed", "doomed"] {
        bench.seed(name, &["one", "two"]);
    }
    bench.turn("disabled", 2, "disable");
    bench.turn("destroyed", 2, "destroy");
    let body = json!({ "versionDestroyTtl": "86400s" });
    let path = format!("{PLACE}/secrets/doomed?updateMask=versionDestroyTtl");
    bench.google.call("PATCH", &path, &body).unwrap();
    bench.turn("doomed", 2, "destroy");
    let store = bench.store().await;
    let table = [
        (
            "disabled",
            "disabled",
            None,
            "versions enable 2 --secret=disabled --project=p",
        ),
        ("destroyed", "destroyed", None, "cannot be recovered"),
        (
            "doomed",
            "scheduled for destruction",
            Some("2026-02-01T00:00:00Z"),
            "will be destroyed on 2026-02-01",
        ),
    ];

    for (key, state, until, help) in table {
        let error = store.get(&RemoteRef::key(key)).await.unwrap_err();

        let ErrorKind::Tombstoned(tombstone) = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(tombstone.state, state);
        assert_eq!(tombstone.until, until.map(|date| date.parse().unwrap()));
        assert!(!error.consequence().absent, "{key}");
        let text = error.to_string();
        let start = "unable to access Secret from SecretManager Client: rpc error: code = \
                     FailedPrecondition desc = Secret Version [";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains(help), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_enabled_version_is_read_where_the_store_says_so() {
    let bench = Bench::new();
    bench.seed("a", &["one", "two", "three"]);
    bench.turn("a", 3, "destroy");
    bench.seed("dead", &["one"]);
    bench.turn("dead", 1, "disable");
    let mut spec = spec();
    spec["secretVersionSelectionPolicy"] = "LatestOrFetch".into();
    let store = bench.connect(spec).await.unwrap();

    let fetched = store.get(&RemoteRef::key("a")).await.unwrap();
    let pinned = store.get(&versioned("a", "3")).await.unwrap_err();
    let none = store.get(&RemoteRef::key("dead")).await.unwrap_err();

    assert_eq!(fetched, "two".into());
    assert!(pinned.to_string().contains("DESTROYED state"));
    assert!(none.to_string().contains("DISABLED state"));
    assert!(!none.consequence().absent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_throttle_carries_the_time_that_google_asks_for() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    let store = bench.store().await;
    let mut refusal = Refusal::new(429, "RESOURCE_EXHAUSTED", "Quota exceeded");
    refusal.retry_after = Some(7);
    bench.google.inject(Fault {
        call: "AccessSecretVersion",
        about: String::new(),
        refusal,
        times: 1,
    });

    let error = store.get(&RemoteRef::key("a")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Throttled);
    assert_eq!(error.retry_after().unwrap().as_secs(), 7);
    assert!(error.to_string().contains("quota"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_names_the_account_and_the_role() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    bench.google.deny(READER, "AccessSecretVersion");

    let error = bench.store().await.get(&RemoteRef::key("a")).await;

    let error = error.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Denied);
    let text = error.to_string();
    assert!(text.contains(READER), "{text}");
    assert!(
        text.contains("roles/secretmanager.secretAccessor"),
        "{text}"
    );
}
