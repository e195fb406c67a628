//! One table for all dialects: the same value read in every way.

use super::*;

const JSON: &str =
    r#"{"s":"a\"b","n":1.50,"z":null,"t":true,"o":{ "x" : "y" },"a.b":"dot","a":{"b":"deep"}}"#;

fn property(dialect: Property, path: &str) -> Option<String> {
    let found = dialect.extract(&JSON.into(), path);
    match found {
        Ok(value) => Some(value.expose_utf8().unwrap().to_owned()),
        Err(error) => {
            assert_eq!(error.kind(), &ErrorKind::NotFound, "{error}");
            None
        }
    }
}

#[test]
fn each_dialect_reads_each_shape_its_way() {
    use Property::*;
    let table = [
        (GjsonText, "s", "a\"b"),
        (GjsonText, "n", "1.5"),
        (GjsonText, "a.b", "deep"),
        (EscapedDotThenGjson, "a.b", "dot"),
        (EscapedDotThenGjson, "o.x", "y"),
        (GjsonStrOnly, "s", "a\"b"),
        (GjsonStrOnly, "n", ""),
        (GjsonStrOnly, "o", ""),
        (GjsonRaw, "s", r#""a\"b""#),
        (GjsonRaw, "n", "1.50"),
        (GjsonRawUnquoted, "s", "a\"b"),
        (GjsonRawUnquoted, "o", r#"{ "x" : "y" }"#),
        (GjsonRawUnquoted, "z", ""),
        (TopLevelRaw, "s", r#""a\"b""#),
        (TopLevelRaw, "a.b", "\"dot\""),
        (TopLevelUnquoted, "s", "a\"b"),
        (TopLevelUnquoted, "t", "true"),
        (Ignored, "s", JSON),
    ];

    for (dialect, path, want) in table {
        assert_eq!(
            property(dialect, path).as_deref(),
            Some(want),
            "{dialect:?} {path}"
        );
    }
}

#[test]
fn a_missing_property_is_a_missing_secret_in_every_dialect() {
    use Property::*;

    for dialect in [
        GjsonText,
        EscapedDotThenGjson,
        GjsonStrOnly,
        GjsonRaw,
        GjsonRawUnquoted,
        TopLevelRaw,
        TopLevelUnquoted,
    ] {
        assert_eq!(property(dialect, "nope"), None, "{dialect:?}");
    }
}

#[test]
fn maps_of_one_value_differ_by_dialect() {
    let value = SecretValue::from(r#"{"s":"a\"b","n":1.50,"o":{"y":1,"x":"<"}}"#);
    let text = |members: Members, name: &str| {
        let map = members.of(&value).unwrap();
        map.get(name).unwrap().expose_utf8().unwrap().to_owned()
    };

    assert_eq!(text(Members::UnquoteStrings, "s"), "a\"b");
    assert_eq!(text(Members::UnquoteStrings, "n"), "1.50");
    assert_eq!(text(Members::RawJson, "s"), r#""a\"b""#);
    assert_eq!(text(Members::TrimQuotes, "s"), r#"a\"b"#);
    assert_eq!(text(Members::GoBytes, "n"), "1.5");
    assert_eq!(text(Members::GoBytes, "o"), r#"{"x":"\u003c","y":1}"#);
}

#[test]
fn a_strict_map_takes_strings_alone() {
    let strict = |json: &str| Members::StrictStringMap.of(&json.into());

    let map = strict(r#"{"a":"1","b":null}"#).unwrap();
    assert_eq!(map.get("b").unwrap(), &SecretValue::default());
    let error = strict(r#"{"a":1}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "json: cannot unmarshal number into Go value of type string"
    );
    assert_eq!(error.kind(), &ErrorKind::InvalidData);
}

#[test]
fn what_is_no_object_is_no_map_and_is_not_shown() {
    for members in [
        Members::UnquoteStrings,
        Members::StrictStringMap,
        Members::RawJson,
        Members::TrimQuotes,
        Members::GoBytes,
    ] {
        let error = members.of(&"hunter2".into()).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{members:?}");
        assert!(!error.consequence().absent);
    }
}

#[test]
fn members_of_yaml_are_yaml_inside_and_as_go_prints_them() {
    let value = "a: x\nb: 1.50\nc:\n  d: [1, two]\n  e: f\nl: [1, 2]\nt: true\nz: null\n";

    let members = Members::YamlThenJson.of(&value.into()).unwrap();

    let wanted = [
        ("a", "x"),
        ("b", "1.5"),
        ("c", "d:\n    - 1\n    - two\ne: f"),
        ("l", "[1 2]"),
        ("t", "true"),
        ("z", "<nil>"),
    ];
    let wanted = wanted.map(|(name, text)| (name.to_owned(), SecretValue::from(text)));
    assert_eq!(members, SecretMap::from_iter(wanted));
    let error = Members::YamlThenJson.of(&"hunter2".into()).unwrap_err();
    assert!(!error.to_string().contains("hunter2"));
}

#[test]
fn members_of_json_that_yaml_cannot_read_are_as_written() {
    let pair = r#"{"a":"\ud83d\ude00","n":1.50,"o":{"b": 1}}"#;
    let twice = r#"{"a":"x","a":"y"}"#;

    let members = Members::YamlThenJson.of(&pair.into()).unwrap();

    let wanted = [("a", "\u{1f600}"), ("n", "1.50"), ("o", r#"{"b": 1}"#)];
    let wanted = wanted.map(|(name, text)| (name.to_owned(), SecretValue::from(text)));
    assert_eq!(members, SecretMap::from_iter(wanted));
    let members = Members::YamlThenJson.of(&twice.into()).unwrap();
    assert_eq!(members.get("a"), Some(&SecretValue::from("y")));
}

#[test]
fn a_decoded_value_is_printed_as_go_prints_it() {
    let value = lockstep_provider_api::json::decode(&r#"{"b":[1,null],"a":{"c":"x y"}}"#.into());

    let text = printed(&value.unwrap());

    assert_eq!(text.expose(), b"map[a:map[c:x y] b:[1 <nil>]]");
}
