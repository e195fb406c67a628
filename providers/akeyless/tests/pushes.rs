//! What pushes and deletions leave at the server: members of others stay, and so do items that no push
//! made.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::sync::{Arc, Mutex};

use lockstep_provider_akeyless::{Akeyless, AkeylessSpec, AkeylessStore};
use lockstep_provider_api::conformance::{NAMESPACE, block_on, response, scripted, services};
use lockstep_provider_api::prelude::*;
use serde_json::{Value, json};

/// The value of the one item `k`, and its tags.
type Item = Arc<Mutex<Option<(String, Vec<&'static str>)>>>;

fn store(item: &Item) -> AkeylessStore {
    let item = Arc::clone(item);
    let services = services().plugged(scripted(move |request| {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let value = || body["value"].as_str().unwrap().to_owned();
        let mut item = item.lock().unwrap();
        match (request.uri().path(), item.as_mut()) {
            ("/v2/auth", _) => response(200, r#"{"token":"t-1"}"#),
            ("/v2/create-secret", None) => {
                assert_eq!(body["tags"], json!(["k8s-external-secrets"]));
                *item = Some((value(), vec!["k8s-external-secrets"]));
                response(200, "{}")
            }
            (_, None) => response(404, r#"{"error":"Item was not found"}"#),
            ("/v2/describe-item", Some((_, tags))) => {
                let item =
                    json!({"item_name": "k", "item_type": "STATIC_SECRET", "item_tags": tags});
                response(200, item.to_string())
            }
            ("/v2/get-secret-value", Some((value, _))) => {
                response(200, json!({ "k": value }).to_string())
            }
            ("/v2/update-secret-val", Some((held, _))) => {
                *held = value();
                response(200, "{}")
            }
            ("/v2/delete-item", Some(_)) => {
                *item = None;
                response(200, "{}")
            }
            _ => response(500, "{}"),
        }
    }));
    for (key, value) in [("id", "p-1"), ("type", "access_key"), ("param", "key")] {
        services.objects.put_secret(NAMESPACE, "c", key, value);
    }
    let key = |key: &str| json!({"name": "c", "key": key});
    let spec = json!({
        "akeylessGWApiURL": "https://gw.test/v2",
        "authSecretRef": {"secretRef": {
            "accessID": key("id"), "accessType": key("type"), "accessTypeParam": key("param"),
        }},
    });
    let spec: AkeylessSpec = serde_json::from_value(spec).unwrap();
    block_on(Akeyless::connect(spec, services.ctx("s"))).unwrap()
}

fn held(value: &str, tags: &[&'static str]) -> Item {
    Arc::new(Mutex::new(Some((value.to_owned(), tags.to_vec()))))
}

fn value(item: &Item) -> Option<String> {
    item.lock()
        .unwrap()
        .as_ref()
        .map(|(value, _)| value.clone())
}

fn target(property: Option<&str>) -> PushTarget {
    PushTarget {
        property: property.map(str::to_owned),
        ..PushTarget::key("k")
    }
}

fn push(item: &Item, property: Option<&str>) -> Result<Pushed> {
    let source = [("a", "1"), ("b", "<2>")];
    let source = source.map(|(key, value)| (key.to_owned(), SecretValue::from(value)));
    let pushed = PushItem {
        secret_key: property.map(|_| "a".to_owned()),
        ..PushItem::whole(target(property), SecretMap::from_iter(source))
    };
    block_on(store(item).push(&pushed))
}

#[test]
fn a_push_keeps_the_members_of_others_and_writes_only_changes() {
    let item = held(r#"{"big":12345678901234567890,"z":"old"}"#, &[]);

    assert_eq!(push(&item, Some("z")).unwrap(), Pushed::Updated);
    let merged = r#"{"big":12345678901234567890,"z":"1"}"#;
    assert_eq!(value(&item).as_deref(), Some(merged));
    assert_eq!(push(&item, Some("z")).unwrap(), Pushed::Unchanged);
}

#[test]
fn a_whole_secret_becomes_members_of_a_new_item() {
    let item = Item::default();

    assert_eq!(push(&item, None).unwrap(), Pushed::Created);
    assert_eq!(
        value(&item).as_deref(),
        Some(r#"{"a":"1","b":"\u003c2\u003e"}"#)
    );
}

#[test]
fn an_item_with_other_text_is_not_overwritten() {
    let item = held("hunter2", &[]);

    let error = push(&item, Some("z")).unwrap_err();

    assert_eq!(
        error.to_string(),
        "failed to unmarshal remote secret: invalid JSON format"
    );
    assert_eq!(value(&item).as_deref(), Some("hunter2"));
}

#[test]
fn a_deletion_takes_a_member_and_the_item_with_the_last_one() {
    let item = held(r#"{"p":"1","q":"2"}"#, &["k8s-external-secrets"]);
    let delete = |property| block_on(store(&item).delete(&target(Some(property))));

    delete("p").unwrap();
    assert_eq!(value(&item).as_deref(), Some(r#"{"q":"2"}"#));
    delete("q").unwrap();
    assert_eq!(value(&item), None);
    delete("q").unwrap();
}

#[test]
fn an_item_that_no_push_made_stays() {
    let item = held(r#"{"p":"1"}"#, &["mine"]);

    block_on(store(&item).delete(&target(None))).unwrap();

    assert_eq!(value(&item).as_deref(), Some(r#"{"p":"1"}"#));
}
