//! Searching: by name, by path and by custom metadata, over all folders.

use std::collections::BTreeMap;

use lockstep_provider_api::{Find, SharedStore};
use serde_json::{Value, json};

use crate::bench::Bench;

fn bench() -> Bench {
    let bench = Bench::new();
    let secrets = [
        ("app/one", "1", json!({ "team": "a", "env": "prod" })),
        ("app/sub/two", "2", json!({ "team": "a" })),
        ("other/one", "3", json!({ "team": "b" })),
    ];
    for (key, value, custom) in secrets {
        bench.bao.put(key, &json!({ "k": value })).unwrap();
        let custom = json!({ "custom_metadata": custom });
        bench
            .bao
            .call("PUT", &format!("kv/metadata/{key}"), &custom)
            .unwrap();
    }
    bench
}

fn find(path: Option<&str>, name: Option<&str>, tags: &[(&str, &str)]) -> Find {
    let tags: BTreeMap<_, _> = tags
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Find {
        path: path.map(str::to_owned),
        name: name.map(str::to_owned),
        tags: (!tags.is_empty()).then_some(tags),
        ..Find::default()
    }
}

async fn names(store: &SharedStore, find: Find) -> Vec<String> {
    let found = store.find(&find).await.unwrap();
    found.keys().map(str::to_owned).collect()
}

#[tokio::test]
async fn names_paths_and_tags_narrow_a_search() {
    let bench = bench();
    let store = bench.store().await;

    let by_name = names(&store, find(None, Some("one$"), &[])).await;
    let by_path = names(&store, find(Some("app"), Some("."), &[])).await;
    let by_tags = names(&store, find(None, None, &[("team", "a"), ("env", "prod")])).await;
    let by_both = names(&store, find(None, Some("one$"), &[("team", "a")])).await;

    assert_eq!(by_name, ["app/one", "other/one"]);
    assert_eq!(by_path, ["app/one", "app/sub/two"]);
    assert_eq!(by_tags, ["app/one"]);
    assert_eq!(by_both, ["app/one"]);
}

#[tokio::test]
async fn deleted_secrets_are_left_out_and_an_empty_folder_is_absent() {
    let bench = bench();
    bench
        .bao
        .call("DELETE", "kv/data/app/one", &Value::Null)
        .unwrap();
    let store = bench.store().await;

    let left = names(&store, find(None, Some("one$"), &[])).await;
    let empty = store
        .find(&find(Some("none"), Some("."), &[]))
        .await
        .unwrap_err();

    assert_eq!(left, ["other/one"]);
    assert!(empty.consequence().absent, "{empty}");
}
