//! Searching a vault.

use lockstep_provider_api::Find;
use lockstep_testkit::azure::Fault;
use serde_json::json;

use crate::bench::Bench;

fn by_name(pattern: &str) -> Find {
    Find {
        name: Some(pattern.to_owned()),
        ..Find::default()
    }
}

fn seeded() -> Bench {
    let bench = Bench::new();
    let tags = [
        ("app-one", json!({ "env": "prod", "team": "blue" })),
        ("app-two", json!({ "env": "prod" })),
        ("db-one", json!({ "team": "blue" })),
    ];
    for (name, tags) in tags {
        bench.put(name, &json!({ "value": name, "tags": tags }));
    }
    bench.put(
        "off",
        &json!({ "value": "x", "attributes": { "enabled": false } }),
    );
    bench
}

#[tokio::test]
async fn names_and_tags_must_both_match_and_disabled_secrets_are_left_out() {
    let bench = seeded();
    let store = bench.store().await;
    let prod = Some([("env".to_owned(), "prod".to_owned())].into());
    let keys = async |find: &Find| -> Vec<String> {
        let found = store.find(find).await.unwrap();
        found.keys().map(str::to_owned).collect()
    };

    assert_eq!(keys(&by_name("one$")).await, ["app-one", "db-one"]);
    let tags = Find {
        tags: prod.clone(),
        ..Find::default()
    };
    assert_eq!(keys(&tags).await, ["app-one", "app-two"]);
    let both = Find {
        tags: prod,
        ..by_name("one")
    };
    assert_eq!(keys(&both).await, ["app-one"]);
    assert_eq!(
        keys(&Find::default()).await,
        ["app-one", "app-two", "db-one"]
    );
    assert!(keys(&by_name("(")).await.is_empty());
}

#[tokio::test]
async fn a_list_is_read_to_its_end() {
    let bench = Bench::new();
    for number in 0..60 {
        bench.put(
            &format!("s{number:02}"),
            &json!({ "value": number.to_string() }),
        );
    }

    let found = bench.store().await.find(&by_name("^s")).await.unwrap();

    assert_eq!(found.len(), 60);
    assert_eq!(bench.count("GET tests.vault.azure.net/secrets"), 3 + 60);
}

#[tokio::test]
async fn a_list_that_goes_on_at_another_host_fails_and_no_token_goes_there() {
    let bench = seeded();
    let link = "https://evil.example/secrets?$skiptoken=1";
    bench.azure.inject(Fault {
        text: "vault.azure.net/secrets".to_owned(),
        status: 200,
        body: json!({ "value": [], "nextLink": link }),
        headers: Vec::new(),
        times: 1,
    });

    let error = bench.store().await.find(&by_name(".")).await.unwrap_err();

    assert!(
        error.to_string().contains("goes on at another host"),
        "{error}"
    );
    assert_eq!(bench.count("evil.example"), 0);
}

#[tokio::test]
async fn a_list_that_repeats_itself_fails() {
    let bench = seeded();
    let link = "https://tests.vault.azure.net/secrets?api-version=7.4&$skiptoken=0";
    bench.azure.inject(Fault {
        text: "vault.azure.net/secrets".to_owned(),
        status: 200,
        body: json!({ "value": [], "nextLink": link }),
        headers: Vec::new(),
        times: 100,
    });

    let error = bench.store().await.find(&by_name(".")).await.unwrap_err();

    assert!(error.to_string().contains("has no end"), "{error}");
}
