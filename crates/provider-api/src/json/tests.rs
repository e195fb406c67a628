//! Both conversions against the table of Go's results.

use super::*;

const SOURCE: &str = r#"{"s":"x","f":1.50,"e":1e3,"tiny":1e-7,"big":12345678901234567890,"zero":-0,
"t":true,"n":null,"o":{ "b" : 1, "a":"<&>" },"l":[1, "x" ],"lone":"\ud800"}"#;

fn texts(map: &SecretMap) -> BTreeMap<&str, &str> {
    map.iter()
        .map(|(key, value)| (key, value.expose_utf8().unwrap()))
        .collect()
}

#[test]
fn members_keep_their_source_text() {
    let map = json_object(&SOURCE.into()).unwrap();

    let texts = texts(&map);
    assert_eq!(texts["s"], "x");
    assert_eq!(texts["f"], "1.50");
    assert_eq!(texts["e"], "1e3");
    assert_eq!(texts["big"], "12345678901234567890");
    assert_eq!(texts["t"], "true");
    assert_eq!(texts["n"], "");
    assert_eq!(texts["o"], r#"{ "b" : 1, "a":"<&>" }"#);
    assert_eq!(texts["l"], r#"[1, "x" ]"#);
    assert_eq!(texts["lone"], "\u{fffd}");
}

#[test]
fn decoded_members_are_written_anew_and_integers_keep_their_digits() {
    let map = json_object_decoded(&SOURCE.into()).unwrap();

    let texts = texts(&map);
    assert_eq!(texts["f"], "1.5");
    assert_eq!(texts["e"], "1000");
    assert_eq!(texts["tiny"], "0.0000001");
    assert_eq!(texts["big"], "12345678901234567890");
    assert_eq!(texts["zero"], "-0");
    assert_eq!(texts["n"], "");
    assert_eq!(texts["o"], r#"{"a":"\u003c\u0026\u003e","b":1}"#);
    assert_eq!(texts["l"], r#"[1,"x"]"#);
}

#[test]
fn a_number_beyond_float64_is_refused_only_when_decoded() {
    let value = SecretValue::from(r#"{"x":1e400}"#);

    assert_eq!(json_object(&value).unwrap().len(), 1);
    assert!(json_object_decoded(&value).is_err());
}

#[test]
fn top_level_null_is_an_empty_map() {
    assert!(json_object(&"null".into()).unwrap().is_empty());
    assert!(json_object_decoded(&"null".into()).unwrap().is_empty());
}

#[test]
fn what_is_no_object_is_refused_with_gos_words_and_without_the_input() {
    let list = json_object(&"[1,2]".into()).unwrap_err();
    let text = json_object(&"Xyzzy".into()).unwrap_err();
    let empty = json_object(&"".into()).unwrap_err();
    let number = json_object_decoded(&"271828".into()).unwrap_err();

    assert_eq!(
        list.to_string(),
        "json: cannot unmarshal array into Go value of type map[string]json.RawMessage"
    );
    assert_eq!(
        text.to_string(),
        "invalid character looking for beginning of value"
    );
    assert_eq!(empty.to_string(), "unexpected end of JSON input");
    assert!(!number.to_string().contains("271828"), "{number}");
}

#[test]
fn a_map_is_written_sorted_and_unescaped() {
    let mut map = SecretMap::new();
    map.insert("b", SecretValue::from("<&>\u{2028}"));
    map.insert("a", SecretValue::new(vec![b'x', 0xff, b'"']));

    let plain = to_json_object(&map);
    let escaped = to_json_object_escaped(&map);

    assert_eq!(
        plain.expose_utf8().unwrap(),
        r#"{"a":"x\ufffd\"","b":"<&>\u2028"}"#
    );
    assert_eq!(
        escaped.expose_utf8().unwrap(),
        r#"{"a":"x\ufffd\"","b":"\u003c\u0026\u003e\u2028"}"#
    );
    assert_eq!(json_object(&plain).unwrap().len(), 2);
}

#[test]
fn an_empty_map_is_an_empty_object() {
    assert_eq!(
        to_json_object(&SecretMap::new()).expose_utf8().unwrap(),
        "{}"
    );
}
