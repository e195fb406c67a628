//! Searching.

use std::collections::BTreeMap;

use lockstep_provider_api::{ErrorKind, Find};
use serde_json::json;

use crate::bench::{Bench, REMOTE};

fn by_name(pattern: &str) -> Find {
    Find {
        name: Some(pattern.to_owned()),
        ..Find::default()
    }
}

fn by_tag(key: &str, value: &str) -> Find {
    Find {
        tags: Some(BTreeMap::from([(key.to_owned(), value.to_owned())])),
        ..Find::default()
    }
}

fn filled(count: usize) -> Bench {
    let bench = Bench::new();
    for index in 0..count {
        let name = format!("db-{index:02}");
        let labels = json!({ "labels": { "even": (index % 2 == 0).to_string() } });
        let value = index.to_string();
        let data = [("n", value.as_bytes())];
        bench.server.put_with(REMOTE, &name, &data, labels);
    }
    bench.server.put("elsewhere", "db-99", &[("n", b"99")]);
    bench
}

#[tokio::test]
async fn names_are_matched_anywhere_and_give_each_secret_as_json() {
    let bench = filled(12);

    let found = bench.store().await.find(&by_name("-1[01]$")).await.unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["db-10", "db-11"]);
    assert_eq!(found.get("db-10"), Some(&r#"{"n":"10"}"#.into()));
}

#[tokio::test]
async fn labels_select_and_win_over_a_name() {
    let bench = filled(4);
    let mut find = by_tag("even", "true");
    find.name = Some("nothing".to_owned());

    let found = bench.store().await.find(&find).await.unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), ["db-00", "db-02"]);
    assert_eq!(bench.server.seen()[0].query["labelSelector"], "even=true");
}

#[tokio::test]
async fn a_search_reads_every_page() {
    let bench = filled(25);
    bench.server.page_by(10);

    let found = bench.store().await.find(&by_name("db")).await.unwrap();

    assert_eq!(found.len(), 25);
    assert_eq!(bench.server.seen().len(), 3);
    assert_eq!(bench.server.seen()[0].query["limit"], "100");
}

#[tokio::test]
async fn a_page_that_fails_fails_the_search() {
    let bench = filled(25);
    bench.server.page_by(10);
    bench.server.deny("list");

    let error = bench.store().await.find(&by_name("db")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert!(error.to_string().starts_with("unable to list secrets: "));
}

#[tokio::test]
async fn a_search_that_takes_too_long_begins_anew() {
    let bench = filled(25);
    bench.server.page_by(10);
    bench.server.expire_at(2);

    let found = bench.store().await.find(&by_name("db")).await.unwrap();

    assert_eq!(found.len(), 25);
    assert_eq!(bench.server.seen().len(), 2 + 3);
}

#[tokio::test]
async fn a_page_too_large_for_an_answer_is_read_in_smaller_pieces() {
    let bench = filled(25);
    bench.server.answer_at_most(5);

    let found = bench.store().await.find(&by_name("db")).await.unwrap();

    assert_eq!(found.len(), 25);
    let limits: Vec<_> = bench
        .server
        .seen()
        .iter()
        .map(|request| request.query["limit"].clone())
        .collect();
    assert_eq!(limits[..3], ["100", "13", "2"]);
    assert!(limits[3..].iter().all(|limit| limit == "2"));
}

#[tokio::test]
async fn a_search_for_nothing_is_refused_in_plain_words() {
    let bench = Bench::new();
    let find = Find {
        path: Some("x".to_owned()),
        ..Find::default()
    };

    let error = bench.store().await.find(&find).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert_eq!(
        error.to_string(),
        "unexpected find operator: find needs name or tags"
    );
}

#[tokio::test]
async fn an_empty_set_of_tags_finds_everything() {
    let bench = filled(3);
    let everything = Find {
        tags: Some(BTreeMap::new()),
        ..Find::default()
    };

    let found = bench.store().await.find(&everything).await.unwrap();

    assert_eq!(found.len(), 3);
}

#[tokio::test]
async fn an_empty_set_of_tags_leaves_the_search_to_the_name() {
    let bench = filled(3);
    let find = Find {
        tags: Some(BTreeMap::new()),
        ..by_name("-01$")
    };

    let found = bench.store().await.find(&find).await.unwrap();

    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn a_pattern_or_tag_that_cannot_be_is_refused_before_anything_is_sent() {
    let bench = Bench::new();
    let store = bench.store().await;

    let pattern = store.find(&by_name("a(")).await.unwrap_err();
    let tag = store.find(&by_tag("a", "b,c")).await.unwrap_err();

    assert!(
        pattern
            .to_string()
            .starts_with("could not compile find.name.regexp [a(]: ")
    );
    assert!(
        tag.to_string()
            .starts_with("unable to validate selector tags: ")
    );
    assert!(bench.server.seen().is_empty());
}
