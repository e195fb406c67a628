//! Reading, searching and writing parameters.

use std::collections::BTreeMap;

use lockstep_provider_api::{ErrorKind, Find, PushTarget, Pushed, RemoteRef};
use serde_json::{Value, json};

use crate::bench::{Bench, metadata, moto, push, seen, spec, tags, word};

fn put(name: &str, value: &str, team: &str) {
    let parameter = json!({
        "Name": name,
        "Value": value,
        "Type": "SecureString",
        "Tags": [{ "Key": "team", "Value": team }],
    });
    moto().call("ssm.PutParameter", &parameter).unwrap();
}

fn read(name: &str) -> Value {
    let asked = json!({ "Name": name, "WithDecryption": true });
    moto().call("ssm.GetParameter", &asked).unwrap()["Parameter"].clone()
}

fn tags_of(name: &str) -> BTreeMap<String, String> {
    let asked = json!({ "ResourceType": "Parameter", "ResourceId": name });
    tags(&moto().call("ssm.ListTagsForResource", &asked).unwrap()["TagList"])
}

#[tokio::test(flavor = "multi_thread")]
async fn many_parameters_are_read_ten_at_a_time() {
    let id = word("ps-batch");
    for number in 0..15 {
        put(&format!("/{id}/{number}"), &number.to_string(), "x");
    }
    let store = Bench::plain(&id, "ParameterStore").await;
    let references: Vec<_> = (0..15)
        .map(|n| RemoteRef::key(format!("/{id}/{n}")))
        .collect();

    let answers = store.get_many(&references).await;

    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap().expose_utf8().unwrap(), number.to_string());
    }
    assert_eq!(seen(&id), ["GetParameters"; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_version_is_an_error_and_no_absence() {
    let id = word("ps-version");
    put(&format!("/{id}"), "one", "x");
    let store = Bench::plain(&id, "ParameterStore").await;
    let version = |version: &str| RemoteRef {
        version: Some(version.to_owned()),
        ..RemoteRef::key(format!("/{id}"))
    };

    let first = store.get(&version("1")).await.unwrap();
    let ninth = store.get(&version("9")).await.unwrap_err();

    assert_eq!(first.expose(), b"one");
    assert!(!ninth.consequence().absent);
    assert!(
        ninth.to_string().contains("ParameterVersionNotFound"),
        "{ninth}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_combine_name_and_tags() {
    let id = word("ps-find");
    put(&format!("/{id}/app/one"), "1", &format!("{id}-a"));
    put(&format!("/{id}/app/two"), "2", &format!("{id}-b"));
    put(&format!("/{id}/other/one"), "3", &format!("{id}-b"));
    let mut spec = spec("ParameterStore");
    spec["prefix"] = "/ignored".into();
    let store = Bench::new(moto(), &id, "any").connect(spec).await.unwrap();
    let find = async |name: Option<&str>, team: Option<&str>, path: &str| {
        let find = Find {
            name: name.map(str::to_owned),
            tags: team.map(|team| [("team".to_owned(), format!("{id}-{team}"))].into()),
            path: Some(format!("/{id}{path}")),
            ..Find::default()
        };
        let found = store.find(&find).await.unwrap();
        let values = found
            .iter()
            .map(|(_, value)| value.expose_utf8().unwrap().to_owned());
        values.collect::<Vec<_>>().join(",")
    };

    assert_eq!(find(Some("one$"), None, "").await, "1,3");
    assert_eq!(find(Some("one$"), Some("b"), "").await, "3");
    assert_eq!(find(None, Some("b"), "/app").await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_writes_type_tags_and_tier_and_compares_first() {
    let id = format!("/{}", word("ps-push"));
    let store = Bench::plain(&id[1..], "ParameterStore").await;
    let mut item = push(&id, "v");
    item.metadata = metadata(json!({
        "secretType": "SecureString",
        "kmsKeyID": "alias/own",
        "tags": { "old": "1" },
        "tier": { "type": "Advanced" },
        "description": "mine",
    }));
    let created = store.push(&item).await.unwrap();
    let unchanged = store.push(&item).await.unwrap();
    item.source.insert("v", "w".into());
    item.metadata = metadata(json!({ "secretType": "SecureString", "tags": { "new": "2" } }));
    let updated = store.push(&item).await.unwrap();

    assert_eq!(created, Pushed::Created);
    assert_eq!(unchanged, Pushed::Unchanged);
    assert_eq!(updated, Pushed::Updated);
    assert_eq!(read(&id)["Type"], "SecureString");
    assert_eq!(read(&id)["Value"], "w");
    let tags = tags_of(&id);
    assert_eq!(tags["managed-by"], "external-secrets");
    assert_eq!(tags["new"], "2");
    assert!(!tags.contains_key("old"));
    let sent = moto().seen();
    let first = sent
        .iter()
        .find(|one| one.action == "PutParameter" && one.body.contains(&id));
    let first: Value = serde_json::from_str(&first.unwrap().body).unwrap();
    assert_eq!(first["Tier"], "Advanced");
    assert_eq!(first["KeyId"], "alias/own");
    assert_eq!(first["Overwrite"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_secret_is_base64_inside_json_unless_told_otherwise() {
    let id = format!("/{}", word("ps-whole"));
    let store = Bench::plain(&id[1..], "ParameterStore").await;
    let mut item = push(&id, "text");
    item.secret_key = None;

    store.push(&item).await.unwrap();
    let encoded = read(&id)["Value"].clone();
    item.metadata = metadata(json!({ "encodeAsDecoded": true }));
    store.push(&item).await.unwrap();

    assert_eq!(encoded, r#"{"v":"dGV4dA=="}"#);
    assert_eq!(read(&id)["Value"], r#"{"v":"text"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn properties_are_merged_and_foreign_parameters_left_alone() {
    let id = word("ps-property");
    let (own, foreign) = (format!("/{id}/own"), format!("/{id}/foreign"));
    put(&foreign, "theirs", "x");
    let store = Bench::plain(&id, "ParameterStore").await;
    let mut item = push(&own, "1");
    item.target.property = Some("a".to_owned());
    store.push(&item).await.unwrap();
    item.target.property = Some("b".to_owned());
    store.push(&item).await.unwrap();

    let both = read(&own)["Value"].clone();
    store.delete(&item.target).await.unwrap();
    let one = read(&own)["Value"].clone();
    item.target.property = Some("a".to_owned());
    store.delete(&item.target).await.unwrap();
    let error = store.push(&push(&foreign, "ours")).await.unwrap_err();
    store.delete(&PushTarget::key(&foreign)).await.unwrap();

    assert_eq!(both, r#"{"a":"1","b":"1"}"#);
    assert_eq!(one, r#"{"a":"1"}"#);
    assert!(!store.exists(&PushTarget::key(&own)).await.unwrap());
    assert_eq!(error.kind(), &ErrorKind::Conflict);
    assert_eq!(read(&foreign)["Value"], "theirs");
}
