//! Searching.

use std::collections::BTreeMap;

use lockstep_provider_api::Find;

use crate::bench::Bench;

fn bench() -> Bench {
    let bench = Bench::new();
    let one = [("password", "first"), ("token", "t")];
    bench.connect.item(&bench.first, "web", "LOGIN", &one);
    let tagged = bench
        .connect
        .item(&bench.first, "db", "LOGIN", &[("user", "bob")]);
    bench.connect.tag(&tagged, &["prod", "blue"]);
    let other = [("password", "second"), ("pin", "4")];
    let other = bench.connect.item(&bench.second, "db", "LOGIN", &other);
    bench.connect.tag(&other, &["prod"]);
    bench
}

async fn found(bench: &Bench, find: Find) -> Vec<(String, String)> {
    let found = bench.store().await.find(&find).await.unwrap();
    let text = |value: lockstep_provider_api::SecretValue| value.expose_utf8().unwrap().to_owned();
    let pairs = found.into_iter().map(|(key, value)| (key, text(value)));
    pairs.collect()
}

fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = wanted
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    owned.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_that_of_fields_in_all_vaults_and_the_first_value_wins() {
    let find = Find {
        name: Some("^p".to_owned()),
        ..Find::default()
    };

    let found = found(&bench(), find).await;

    assert_eq!(found, pairs(&[("password", "first"), ("pin", "4")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_the_title_of_items() {
    let find = Find {
        path: Some("db".to_owned()),
        ..Find::default()
    };

    let found = found(&bench(), find).await;

    assert_eq!(
        found,
        pairs(&[("password", "second"), ("pin", "4"), ("user", "bob")])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tags_are_searched_in_the_first_vault_by_their_keys() {
    let tags = |keys: &[&str]| Find {
        tags: Some(
            keys.iter()
                .map(|key| ((*key).to_owned(), String::new()))
                .collect::<BTreeMap<_, _>>(),
        ),
        ..Find::default()
    };

    assert_eq!(
        found(&bench(), tags(&["prod"])).await,
        pairs(&[("user", "bob")])
    );
    assert_eq!(
        found(&bench(), tags(&["prod", "blue"])).await,
        pairs(&[("user", "bob")])
    );
    assert_eq!(found(&bench(), tags(&["prod", "red"])).await, pairs(&[]));
}
