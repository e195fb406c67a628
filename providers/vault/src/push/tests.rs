//! What counts as an equal value, and what a property replaces.

use super::*;

fn read(json: &str) -> Value {
    decode_verbatim(json.as_bytes()).unwrap()
}

#[test]
fn nested_values_and_numbers_compare_by_meaning() {
    assert!(same(
        &read(r#"{"n":{"m":[2,"x"]}}"#),
        &read(r#"{"n":{"m":[2.0,"x"]}}"#)
    ));
    assert!(!same(&read(r#"{"n":{"m":2}}"#), &read(r#"{"n":{"m":3}}"#)));
    assert!(!same(&read("9007199254740993"), &read("9007199254740992")));
    assert!(!same(&read(r#"{"a":1}"#), &read(r#"{"a":1,"b":2}"#)));
    assert!(!same(&read("\"1\""), &read("1")));
}

#[test]
fn a_property_replaces_texts_only() {
    let Value::Object(current) = read(r#"{"keep":"1","n":2}"#) else {
        panic!("an object");
    };

    let merged_one = merged(Some(current.clone()), "new", &"v".into()).unwrap();
    let refused = merged(Some(current), "n", &"v".into()).unwrap_err();

    assert_eq!(merged_one.len(), 3);
    assert_eq!(refused.to_string(), "error converting n to string");
}
