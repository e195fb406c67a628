use super::*;

const OBJECT: &str = r#"{"kind":"Widget","data":{"z":"<t>","a":"x"},"spec":{"n":1.50,"big":12345678901234567890,"none":null,"list":[1,2]}}"#;

fn object() -> SecretValue {
    sorted(&SecretValue::from(OBJECT)).unwrap()
}

fn read(property: &str) -> SecretValue {
    value(&object(), "w", Some(property)).unwrap()
}

#[test]
fn an_object_is_json_with_sorted_keys_and_escapes_as_go_writes_it() {
    let text = String::from_utf8(object().expose().to_vec()).unwrap();

    assert!(text.starts_with(r#"{"data":{"a":"x","z":"\u003ct\u003e"},"kind":"Widget","#));
    assert!(text.contains("12345678901234567890"));
}

#[test]
fn texts_are_unquoted_and_everything_else_stays_json() {
    assert_eq!(read("data.z"), "<t>".into());
    assert_eq!(read("spec.list"), "[1,2]".into());
    assert_eq!(read("spec.n"), "1.5".into());
    assert_eq!(read("spec.none"), "null".into());
}

#[test]
fn a_field_that_is_not_there_is_no_missing_secret() {
    let error = value(&object(), "w", Some("data.b")).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidData);
    assert_eq!(
        error.to_string(),
        "crd: property \"data.b\" not found in object \"w\""
    );
}

#[test]
fn a_value_that_is_no_object_is_one_member() {
    let members = map(read("data"));

    assert_eq!(members.get("z"), Some(&"<t>".into()));
    assert_eq!(map(read("data.z")).get("value"), Some(&"<t>".into()));
    assert!(map(read("spec.none")).is_empty());
}

#[test]
fn an_object_of_a_list_gets_the_kind_that_the_core_group_leaves_out() {
    let kind = ObjectType {
        group: "acme.com".to_owned(),
        version: "v1".to_owned(),
        kind: "Widget".to_owned(),
    };

    let filled = with_kind(&SecretValue::from(r#"{"data":{}}"#), &kind).unwrap();

    assert_eq!(
        filled,
        r#"{"apiVersion":"acme.com/v1","data":{},"kind":"Widget"}"#.into()
    );
}
