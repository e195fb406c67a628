//! Limits, conversions and refusals; what documents mean is in the conformance tables.

use super::*;
use crate::json::marshal;

fn json(source: &str) -> String {
    marshal(&decode(source.as_bytes()).unwrap())
}

fn refusal(source: &str) -> String {
    decode(source.as_bytes()).unwrap_err().to_string()
}

#[test]
fn integers_and_floats_keep_their_kind() {
    let value = decode(b"[1, 1.0, 1e3, 1.5, 0x10, 12345678901234567890, -0.0]").unwrap();

    assert_eq!(marshal(&value), "[1,1,1000,1.5,16,12345678901234567000,-0]");
    let kinds = value.as_array().unwrap().iter().map(|number| match number {
        Value::Number(crate::json::Number::Int(_)) => 'i',
        _ => 'f',
    });
    assert_eq!(kinds.collect::<String>(), "iiififf");
}

#[test]
fn merges_take_effect_where_they_stand() {
    let base = "base: &b {x: 1, z: 1}\n";

    assert_eq!(
        json(&format!("{base}a: {{<<: *b, x: 2}}\n")),
        r#"{"a":{"x":2,"z":1},"base":{"x":1,"z":1}}"#
    );
    assert_eq!(
        json(&format!("{base}a: {{x: 2, <<: *b}}\n")),
        r#"{"a":{"x":1,"z":1},"base":{"x":1,"z":1}}"#
    );
    assert_eq!(json("{<<: [{x: 1}, {x: 2, z: 2}]}"), r#"{"x":1,"z":2}"#);
    assert_eq!(json("\"<<\": {x: 1}"), r#"{"<<":{"x":1}}"#);
}

#[test]
fn keys_of_any_scalar_type_become_text_and_the_last_one_wins() {
    assert_eq!(
        json("{1: a, true: b, 1.5: c, 0x10: d, 2020-01-01: e}"),
        r#"{"1":"a","1.5":"c","16":"d","2020-01-01":"e","true":"b"}"#
    );
    assert_eq!(json("1: a\n'1': b\n"), r#"{"1":"b"}"#);
    assert_eq!(json("'1': b\n1: a\n"), r#"{"1":"a"}"#);
}

#[test]
fn refusals_carry_the_text_of_the_go_libraries() {
    let cases = [
        (
            "a: b: c",
            "yaml: mapping values are not allowed in this context",
        ),
        (
            "a: [1, 2\n",
            "yaml: line 1: did not find expected ',' or ']'",
        ),
        ("a: *x", "yaml: unknown anchor 'x' referenced"),
        (
            "\ta: b",
            "yaml: found character that cannot start any token",
        ),
        (
            "a: b\n  c: d\n",
            "yaml: line 2: mapping values are not allowed in this context",
        ),
        ("a: 'x\n", "yaml: line 2: found unexpected end of stream"),
        ("a: &x [*x]", "yaml: anchor 'x' value contains itself"),
        ("a: !!int x", "yaml: cannot decode !!str `x` as a !!int"),
        (
            "a: !!binary '%'",
            "yaml: !!binary value contains invalid base64 data",
        ),
        (
            "<<: 1",
            "yaml: map merge requires map or sequence of maps as the value",
        ),
        (
            "%YAML 1.2\n---\na: b",
            "yaml: found incompatible YAML document",
        ),
        ("a: .nan", "json: unsupported value: NaN"),
        ("a: \u{1}", "yaml: control characters are not allowed"),
    ];

    for (source, want) in cases {
        assert_eq!(
            refusal(source),
            format!("error converting YAML to JSON: {want}"),
            "{source}"
        );
    }
    let bytes: [(&[u8], &str); 4] = [
        (b"a: \xff", "invalid leading UTF-8 octet"),
        (b"a: \xe2\x82", "incomplete UTF-8 octet sequence"),
        (b"a: \xc3(", "invalid trailing UTF-8 octet"),
        (b"a: \xc0\x80", "invalid length of a UTF-8 sequence"),
    ];
    for (source, want) in bytes {
        let error = decode(source).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("error converting YAML to JSON: yaml: {want}")
        );
    }
}

#[test]
fn a_flat_map_of_strings_takes_scalars_of_all_types() {
    let got = decode_strings(
        b"a: 1.50\nb: yes\nc: 0x10\nd: 1e3\ne: 2020-01-01\nf:\ng: !!binary aGk=\nh: 1234567.0\n",
    )
    .unwrap();

    let want = [
        ("a", "1.5"),
        ("b", "true"),
        ("c", "16"),
        ("d", "1000"),
        ("e", "2020-01-01"),
        ("f", ""),
        ("g", "hi"),
        ("h", "1.234567e+06"),
    ];
    assert!(got.iter().map(|(k, v)| (k.as_str(), v.as_str())).eq(want));
    assert!(decode_strings(b"").unwrap().is_empty());
}

#[test]
fn anything_nested_is_no_flat_map_of_strings() {
    let refusal = |source: &[u8]| decode_strings(source).unwrap_err().to_string();
    let text = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";

    assert_eq!(
        refusal(b"a: [1]"),
        format!("{text} array into Go value of type string")
    );
    assert_eq!(
        refusal(b"a: {b: c}"),
        format!("{text} object into Go value of type string")
    );
    assert_eq!(
        refusal(b"- a"),
        format!("{text} array into Go value of type map[string]string")
    );
}

#[test]
fn text_in_utf16_is_read_by_its_mark() {
    let little: Vec<u8> = "\u{feff}a: \u{e9}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let big: Vec<u8> = "\u{feff}a: \u{1f600}"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();

    assert_eq!(marshal(&decode(&little).unwrap()), "{\"a\":\"\u{e9}\"}");
    assert_eq!(marshal(&decode(&big).unwrap()), "{\"a\":\"\u{1f600}\"}");
}

#[test]
fn documents_that_explode_through_aliases_are_refused() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..10 {
        let inner = vec![format!("*a{}", level - 1); 10].join(",");
        bomb = format!("{bomb}a{level}: &a{level} [{inner}]\n");
    }

    assert_eq!(
        refusal(&bomb),
        "error converting YAML to JSON: yaml: document contains excessive aliasing"
    );
}

#[test]
fn depth_is_limited_however_it_comes_about() {
    let flow = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let blocks = |depth: usize| -> String { (0..depth).map(|n| " ".repeat(n) + "-\n").collect() };
    let link = |level: usize| format!("a{level}: &a{level} [*a{}]\n", level - 1);
    let chain = "a0: &a0 [x]\n".to_owned() + &(1..2_000).map(link).collect::<String>();

    assert!(decode(flow(490).as_bytes()).is_ok());
    assert!(decode(blocks(490).as_bytes()).is_ok());
    assert!(decode(flow(100_000).as_bytes()).is_err());
    assert!(decode(blocks(1_000).as_bytes()).is_err());
    assert!(decode("? ".repeat(10_000).as_bytes()).is_err());
    assert!(decode(chain.as_bytes()).is_err());
}
