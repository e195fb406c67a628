use serde_json::{Value, json};

use super::*;

fn item(category: &str, fields: &Value) -> Item {
    let files = json!([{ "name": "a.bin" }, { "name": "b.txt" }]);
    let item = json!({ "title": "db", "category": category, "fields": fields, "files": files });
    serde_json::from_value(item).unwrap()
}

fn login() -> Item {
    item(
        "LOGIN",
        &json!([
            { "label": "password", "value": "s3" },
            { "label": "my.key", "value": "dotted" },
            { "label": "twice", "value": "a" },
            { "label": "twice", "value": "b" },
        ]),
    )
}

#[test]
fn a_prefix_says_what_is_meant_and_documents_mean_files() {
    let (login, document) = (login(), item("DOCUMENT", &json!([])));

    assert_eq!(Wanted::of(&login, "x"), Wanted::Field("x"));
    assert_eq!(Wanted::of(&login, "file/x"), Wanted::File("x"));
    assert_eq!(Wanted::of(&document, "x"), Wanted::File("x"));
    assert_eq!(Wanted::of(&document, "field/x"), Wanted::Field("x"));
}

#[test]
fn a_field_is_found_by_its_whole_label() {
    assert_eq!(field(&login(), "my.key").unwrap(), "dotted".into());
    assert_eq!(field(&login(), "").unwrap(), "s3".into());
}

#[test]
fn a_label_that_is_not_there_once_is_told_with_its_count() {
    for (label, count) in [("nope", 0), ("twice", 2)] {
        let error = field(&login(), label).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidData);
        assert_eq!(
            error.to_string(),
            format!("expected one 1Password ItemField matching: '{label}' in 'db', got {count}")
        );
    }
    assert!(fields(&login(), "").is_err());
}

#[test]
fn the_map_of_a_label_has_that_label_alone() {
    let one = fields(&login(), "my.key").unwrap();

    assert_eq!(one.keys().collect::<Vec<_>>(), ["my.key"]);
    assert!(fields(&login(), "nope").unwrap().is_empty());
}

#[test]
fn a_file_is_found_by_name_and_the_first_without_one() {
    let document = item("DOCUMENT", &json!([]));

    assert_eq!(file(&document, "").unwrap().name(), "a.bin");
    assert_eq!(file(&document, "b.txt").unwrap().name(), "b.txt");
    let error = file(&document, "c").err().unwrap();
    assert_eq!(
        error.to_string(),
        "error finding 1Password Document: 'db', 'c'"
    );
}
