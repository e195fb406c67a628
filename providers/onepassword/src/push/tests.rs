use serde_json::{Value, json};

use super::*;

fn item(fields: &Value) -> Item {
    let item = json!({ "id": "i", "title": "db", "note": "kept", "fields": fields });
    serde_json::from_value(item).unwrap()
}

fn pushed(property: Option<&str>, value: &str) -> PushItem {
    let target = PushTarget {
        property: property.map(str::to_owned),
        ..PushTarget::key("db")
    };
    let source = SecretMap::from_iter([("a".to_owned(), SecretValue::from(value))]);
    PushItem {
        secret_key: Some("a".to_owned()),
        ..PushItem::whole(target, source)
    }
}

fn json_of(item: &Item) -> Value {
    serde_json::to_value(item).unwrap()
}

#[test]
fn an_update_keeps_what_it_does_not_mean() {
    let old = item(&json!([{ "id": "f", "label": "password", "value": "x", "type": "STRING" }]));

    let new = updated(&old, &pushed(None, "y"), &PushMetadata::default()).unwrap();

    let mut wanted = json_of(&old);
    wanted["fields"][0]["value"] = "y".into();
    assert_eq!(json_of(&new), wanted);
}

#[test]
fn a_label_that_is_not_there_is_added_and_tags_are_replaced() {
    let metadata = PushMetadata {
        tags: Some(vec!["t".to_owned()]),
        ..PushMetadata::default()
    };

    let new = updated(&item(&json!([])), &pushed(Some("user"), "bob"), &metadata).unwrap();

    let field = json!({ "label": "user", "type": "CONCEALED", "value": "bob" });
    assert_eq!(json_of(&new)["fields"], json!([field]));
    assert_eq!(json_of(&new)["tags"], json!(["t"]));
}

#[test]
fn two_fields_with_the_label_are_refused() {
    let old = item(&json!([{ "label": "password" }, { "label": "password" }]));

    assert!(updated(&old, &pushed(None, "y"), &PushMetadata::default()).is_err());
    assert!(without(&old, "password").is_err());
}

#[test]
fn a_new_item_goes_into_the_first_vault_or_the_one_that_is_named() {
    let vaults = ["team".to_owned(), "ops".to_owned()];
    let named = |vault: &str| PushMetadata {
        vault: vault.to_owned(),
        ..PushMetadata::default()
    };

    assert_eq!(named("").vault(&vaults).unwrap(), "team");
    assert_eq!(named("ops").vault(&vaults).unwrap(), "ops");
    assert_eq!(
        named("else").vault(&vaults).unwrap_err().to_string(),
        "metadata vault 'else' not in provider vaults"
    );
}

#[test]
fn an_item_without_its_last_field_is_hollow_unless_it_has_files_or_sections() {
    let mut bare = json!({ "fields": [{ "label": "a" }], "sections": [{ "id": "", "label": "" }] });
    let hollow = |item: &Value| {
        let item: Item = serde_json::from_value(item.clone()).unwrap();
        without(&item, "a").unwrap().is_hollow()
    };

    assert!(hollow(&bare));
    bare["sections"] = json!([{ "id": "s" }]);
    assert!(!hollow(&bare));
    assert!(!hollow(
        &json!({ "fields": [{ "label": "a" }], "files": [{ "name": "f" }] })
    ));
}

#[test]
fn what_is_no_text_is_refused_without_showing_it() {
    let mut item = pushed(None, "x");
    item.source = SecretMap::from_iter([("a".to_owned(), SecretValue::new(vec![0xff, b'h']))]);

    let error = text(&item).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().contains("not UTF-8"));
    item.secret_key = None;
    assert!(
        text(&item)
            .unwrap_err()
            .to_string()
            .starts_with("key not found in 1Password Vaults")
    );
}
