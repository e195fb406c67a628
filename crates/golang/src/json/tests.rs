//! JSON against results of `encoding/json`.

use super::*;

fn members(source: &str) -> Vec<(String, String)> {
    let members = object_members(source.as_bytes()).unwrap();
    let show = |m: Member<'_>| String::from_utf8(m.into_bytes()).unwrap();
    members
        .into_iter()
        .map(|(key, member)| (key, show(member)))
        .collect()
}

#[test]
fn members_keep_their_source_text_and_strings_are_unquoted() {
    let cases = [
        (r#""x""#, "x"),
        ("1.50", "1.50"),
        ("1e3", "1e3"),
        ("12345678901234567890", "12345678901234567890"),
        ("-0", "-0"),
        ("true", "true"),
        ("null", ""),
        (r#"{ "b" : 1, "a":"<&>]" }"#, r#"{ "b" : 1, "a":"<&>]" }"#),
        (r#"[1, "x\"]" ]"#, r#"[1, "x\"]" ]"#),
        ("1e400", "1e400"),
        (r#""\ud800""#, "\u{fffd}"),
        (r#""\ud800A\udc00""#, "\u{fffd}A\u{fffd}"),
        (
            r#""\ud83d\ude00 \/\\\"\b\f\n\r\t""#,
            "\u{1f600} /\\\"\u{8}\u{c}\n\r\t",
        ),
        (r#""\ud800\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
    ];

    for (value, want) in cases {
        let source = format!(" {{ \"k\" : {value} , \"z\":[] }} ");

        assert_eq!(
            members(&source),
            [("k".into(), want.into()), ("z".into(), "[]".into())]
        );
    }
}

#[test]
fn the_last_of_duplicate_members_counts_and_null_is_an_empty_object() {
    assert_eq!(members(r#"{"a":1,"\u0061":2}"#), [("a".into(), "2".into())]);
    assert_eq!(members(" null "), []);
    assert_eq!(members("{}"), []);
}

#[test]
fn bytes_that_are_not_utf8_become_replacement_characters_in_text_only() {
    let source = b"{\"\xff\xfe\":\"\xe2\x82\",\"r\":[\"\xff\"]}";

    let got = object_members(source).unwrap();

    assert_eq!(
        got["\u{fffd}\u{fffd}"].as_bytes(),
        "\u{fffd}\u{fffd}".as_bytes()
    );
    assert_eq!(got["r"].as_bytes(), b"[\"\xff\"]");
}

const REFUSALS: &[(&str, &str)] = &[
    ("", "unexpected end of JSON input"),
    ("  ", "unexpected end of JSON input"),
    ("{", "unexpected end of JSON input"),
    (r#"{"a":1"#, "unexpected end of JSON input"),
    ("x", "invalid character 'x' looking for beginning of value"),
    (
        "{x",
        "invalid character 'x' looking for beginning of object key string",
    ),
    (
        r#"{"a":1,}"#,
        "invalid character '}' looking for beginning of object key string",
    ),
    (r#"{"a"1}"#, "invalid character '1' after object key"),
    (
        r#"{"a":1 "b""#,
        "invalid character '\"' after object key:value pair",
    ),
    ("[1 2]", "invalid character '2' after array element"),
    (
        "[1,]",
        "invalid character ']' looking for beginning of value",
    ),
    ("{} {}", "invalid character '{' after top-level value"),
    ("01", "invalid character '1' after top-level value"),
    ("-", "invalid character ' ' in numeric literal"),
    ("-x", "invalid character 'x' in numeric literal"),
    (
        "1.",
        "invalid character ' ' after decimal point in numeric literal",
    ),
    ("1e", "invalid character ' ' in exponent of numeric literal"),
    (
        "1e+",
        "invalid character ' ' in exponent of numeric literal",
    ),
    (
        "tru",
        "invalid character ' ' in literal true (expecting 'e')",
    ),
    (
        "fale",
        "invalid character 'e' in literal false (expecting 's')",
    ),
    (
        "nil",
        "invalid character 'i' in literal null (expecting 'u')",
    ),
    ("\"a", "unexpected end of JSON input"),
    ("\"a\n", "invalid character '\\n' in string literal"),
    (r#""\x""#, "invalid character 'x' in string escape code"),
    (
        r#""\u12g""#,
        "invalid character 'g' in \\u hexadecimal character escape",
    ),
    (
        "'",
        "invalid character '\\'' looking for beginning of value",
    ),
    (
        "\u{1}",
        "invalid character '\\x01' looking for beginning of value",
    ),
    (
        "\u{e9}",
        "invalid character '\u{c3}' looking for beginning of value",
    ),
    (
        "[]",
        "json: cannot unmarshal array into Go value of type map[string]json.RawMessage",
    ),
    (
        "\"\"",
        "json: cannot unmarshal string into Go value of type map[string]json.RawMessage",
    ),
    (
        "1",
        "json: cannot unmarshal number into Go value of type map[string]json.RawMessage",
    ),
    (
        "true",
        "json: cannot unmarshal bool into Go value of type map[string]json.RawMessage",
    ),
];

#[test]
fn refusals_carry_the_text_of_go() {
    for (source, want) in REFUSALS {
        assert_eq!(
            object_members(source.as_bytes()).unwrap_err().to_string(),
            *want,
            "{source}"
        );
    }
}

#[test]
fn nesting_is_limited_as_in_go() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));

    assert_eq!(validate(nested(10_000).as_bytes()), Ok(()));
    assert_eq!(
        validate(nested(10_001).as_bytes()).unwrap_err().to_string(),
        "invalid character '[' exceeded max depth"
    );
}

#[test]
fn trees_are_limited_in_depth_and_memory() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let many = |element: &str, count: usize| format!("[{}0]", format!("{element},").repeat(count));

    assert!(decode(nested(400).as_bytes()).is_ok());
    assert!(decode(nested(402).as_bytes()).is_err());
    assert!(decode(many(r#"{"a":1}"#, 30_000).as_bytes()).is_ok());
    for (element, count) in [(r#"{"a":1}"#, 60_000), ("[]", 900_000), ("1", 900_000)] {
        let large = many(element, count);
        assert_eq!(decode(large.as_bytes()), Err(Error::TooLarge), "{element}");
    }
}

#[test]
fn decoded_values_become_bytes_through_float64() {
    let cases = [
        (r#""x""#, "x"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("1e-7", "0.0000001"),
        ("12345678901234567890", "12345678901234567000"),
        ("-0", "-0"),
        ("true", "true"),
        ("null", ""),
        (
            r#"{ "b" : 1, "a":"<&>" }"#,
            r#"{"a":"\u003c\u0026\u003e","b":1}"#,
        ),
        (r#"[1, "x", 1e21, {}, [] ]"#, r#"[1,"x",1e+21,{},[]]"#),
        (r#""\ud800""#, "\u{fffd}"),
    ];

    for (source, want) in cases {
        assert_eq!(
            to_bytes(&decode(source.as_bytes()).unwrap()),
            want.as_bytes(),
            "{source}"
        );
    }
    assert_eq!(
        decode(b"[1e400]").unwrap_err().to_string(),
        "json: cannot unmarshal number 1e400 into Go value of type float64"
    );
}

#[test]
fn numbers_stay_text_or_integers_when_asked() {
    let source = b"[1.50,12345678901234567890,-0,7,1e2]";

    let text = decode_numbers_as_text(source).unwrap();
    let unstructured = decode_unstructured(source).unwrap();

    assert_eq!(marshal(&text).as_bytes(), source);
    assert_eq!(marshal(&unstructured), "[1.5,12345678901234567000,0,7,100]");
    assert_eq!(
        unstructured.as_array().unwrap()[3],
        Value::Number(Number::Int(7))
    );
    assert_eq!(
        unstructured.as_array().unwrap()[4],
        Value::Number(Number::Float(100.0))
    );
}

#[test]
fn only_html_escaping_tells_the_two_encoders_apart() {
    let value = decode(br#"{"<k>":"<&>\u2028\u2029\u0001\u007f\b\f\"\\/\u00e9"}"#).unwrap();

    assert_eq!(
        marshal(&value),
        "{\"<k>\":\"<&>\\u2028\\u2029\\u0001\u{7f}\\b\\f\\\"\\\\/\u{e9}\"}"
    );
    assert_eq!(
        marshal_escaped(&value),
        "{\"\\u003ck\\u003e\":\"\\u003c\\u0026\\u003e\\u2028\\u2029\\u0001\u{7f}\\b\\f\\\"\\\\/\u{e9}\"}"
    );
}

#[test]
fn byte_strings_are_encoded_with_replacement_escapes() {
    let mut out = String::new();

    append_string(&mut out, b"a\xff\xe2\x82\xef\xbf\xbd", Html::Plain);

    assert_eq!(out, "\"a\\ufffd\\ufffd\\ufffd\u{fffd}\"");
}

#[test]
fn values_survive_the_way_through_serde() {
    let value = decode_unstructured(br#"{"a":[1,1.5,"x",null,true],"b":{}}"#).unwrap();

    assert_eq!(Value::from(&serde_json::Value::from(&value)), value);
}

#[test]
fn debug_output_shows_no_value() {
    let value = decode(br#"{"k":["canary",1234567]}"#).unwrap();

    let shown = format!(
        "{value:?} {:?}",
        object_members(br#"{"k":"canary"}"#).unwrap()
    );

    assert!(
        !shown.contains("canary") && !shown.contains("1234567"),
        "{shown}"
    );
}
