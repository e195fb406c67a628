//! Searching: what the server filters, what is read, and what fails the whole.

use lockstep_provider_api::{ErrorKind, Find};
use lockstep_testkit::gcp::{Google, Settings};
use serde_json::json;

use crate::bench::{Bench, PLACE, spec};

fn by_name(pattern: &str) -> Find {
    Find {
        name: Some(pattern.to_owned()),
        ..Find::default()
    }
}

fn by_tags(entries: &[(&str, &str)]) -> Find {
    let entries = entries.iter();
    Find {
        tags: Some(
            entries
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
        ),
        ..Find::default()
    }
}

fn seeded() -> Bench {
    let settings = Settings {
        page: 2,
        ..Settings::default()
    };
    let bench = Bench::over(Google::start_with(settings, 0).unwrap(), None, &[]);
    bench.seed_labelled("app-one", &["1"], &json!({ "env": "dev", "team": "a" }));
    bench.seed_labelled("app-two", &["2"], &json!({ "env": "prod", "team": "a" }));
    bench.seed_labelled("db-one", &["3"], &json!({ "env": "dev" }));
    bench.seed("my-app", &["4"]);
    bench
}

async fn keys(bench: &Bench, find: Find) -> Vec<String> {
    let found = bench.store().await.find(&find).await.unwrap();
    found.keys().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_labels_and_paths_are_searched_over_all_pages() {
    let bench = seeded();
    let below = Find {
        path: Some("app".to_owned()),
        ..by_name("o")
    };
    let tagged_below = Find {
        path: Some("app".to_owned()),
        ..by_tags(&[("env", "dev")])
    };

    assert_eq!(keys(&bench, by_name("one$")).await, ["app-one", "db-one"]);
    assert_eq!(keys(&bench, below).await, ["app-one", "app-two"]);
    assert_eq!(
        keys(&bench, by_tags(&[("env", "dev")])).await,
        ["app-one", "db-one"]
    );
    let both = by_tags(&[("env", "dev"), ("team", "a")]);
    assert_eq!(keys(&bench, both).await, ["app-one"]);
    assert_eq!(keys(&bench, tagged_below).await, ["app-one"]);
    assert!(keys(&bench, by_name("zzz")).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_matches_is_read() {
    let bench = seeded();
    let store = bench.store().await;
    bench.google.take_seen();

    store.find(&by_tags(&[("env", "prod")])).await.unwrap();

    assert_eq!(bench.calls(), ["ListSecrets", "AccessSecretVersion"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_regional_store_searches_its_location_by_labels_too() {
    let bench = seeded();
    let place = format!("{PLACE}/locations/europe-west3");
    let labels = json!({ "env": "dev" });
    bench
        .google
        .seed(&place, "r-one", &[b"1"], &labels)
        .unwrap();
    let mut spec = spec();
    spec["location"] = "europe-west3".into();
    let store = bench.connect(spec).await.unwrap();

    let found = store.find(&by_tags(&[("env", "dev")])).await.unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["r-one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_without_versions_fails_the_search_and_is_named_but_is_no_absence() {
    let bench = seeded();
    bench.seed("app-empty", &[]);

    let error = bench
        .store()
        .await
        .find(&by_name("^app"))
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidData);
    assert!(error.to_string().contains("\"app-empty\""), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_a_name_and_without_labels_is_refused() {
    let bench = Bench::new();

    let error = bench
        .store()
        .await
        .find(&Find::default())
        .await
        .unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().starts_with("unexpected find operator"));
}
