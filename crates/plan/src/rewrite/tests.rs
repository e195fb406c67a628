use super::*;
use crate::testing::map;

fn operations(text: &str) -> Vec<Rewrite> {
    serde_saphyr::from_str(text).unwrap()
}

fn rewritten(text: &str, input: SecretMap) -> Result<SecretMap, String> {
    rewrite(
        &operations(text),
        input,
        &Settings::default(),
        crate::testing::noon(),
    )
    .map_err(|error| error.to_string())
}

#[test]
fn a_pattern_renames_keys_with_its_groups() {
    let cases = [
        ("[{regexp: {source: '^app-(.*)$', target: '$1'}}]", "one"),
        (
            "[{regexp: {source: '^app-(.*)$', target: '${1}_x'}}]",
            "one_x",
        ),
        ("[{regexp: {source: '^app-(.*)$', target: '$1_x'}}]", ""),
        ("[{regexp: {source: 'p', target: '$$'}}]", "a$$-one"),
        ("[{regexp: {source: 'zzz', target: ''}}]", "app-one"),
    ];
    for (text, wanted) in cases {
        assert_eq!(
            rewritten(text, map([("app-one", "1")])),
            Ok(map([(wanted, "1")])),
            "{text}"
        );
    }
}

#[test]
fn the_last_key_in_order_wins_a_collision() {
    let all = "[{regexp: {source: '.*', target: x}}]";

    assert_eq!(
        rewritten(all, map([("a", "1"), ("b", "2")])),
        Ok(map([("x", "2")]))
    );
}

#[test]
fn operations_work_on_the_outcome_of_the_one_before() {
    let chain = "[{regexp: {source: a, target: b}}, {regexp: {source: b, target: c}}]";

    assert_eq!(rewritten(chain, map([("a", "1")])), Ok(map([("c", "1")])));
}

#[test]
fn an_operation_that_fails_is_numbered() {
    let text = "[{regexp: {source: a, target: b}}, {regexp: {source: '(', target: b}}]";

    assert_eq!(
        rewritten(text, map([("a", "1")])).unwrap_err(),
        "failed rewrite operation[1]: regexp failed with failed to compile: error parsing regexp: \
         missing closing ): `(`"
    );
}

#[test]
fn members_of_all_objects_are_lifted() {
    let input = map([
        ("a", r#"{"x":"1","y":{"q":1}}"#),
        (
            "b",
            r#"{"n":1.50,"big":12345678901234567890,"t":true,"nul":null,"h":{"h":"<&>"}}"#,
        ),
    ]);

    let merged = rewritten("[{merge: {}}]", input).unwrap();

    let wanted = map([
        ("x", "1"),
        ("y", r#"{"q":1}"#),
        ("n", "1.5"),
        ("big", "12345678901234567000"),
        ("t", "true"),
        ("nul", ""),
        ("h", r#"{"h":"\u003c\u0026\u003e"}"#),
    ]);
    assert_eq!(merged, wanted);
}

#[test]
fn one_object_is_added_beside_the_originals() {
    let input = map([("a", r#"{"x":"1"}"#), ("b", r#"{"n":1.50,"h":"<&>"}"#)]);

    let merged = rewritten("[{merge: {strategy: JSON, into: all}}]", input.clone()).unwrap();

    let mut wanted = input;
    wanted.extend(map([("all", r#"{"h":"<&>","n":1.5,"x":"1"}"#)]));
    assert_eq!(merged, wanted);
}

#[test]
fn priority_keys_are_merged_last_in_their_order() {
    let input = || {
        map([
            ("a", r#"{"x":"a","p":"a"}"#),
            ("b", r#"{"x":"b","p":"b"}"#),
            ("c", r#"{"x":"c"}"#),
        ])
    };
    let cases = [
        (
            "[{merge: {conflictPolicy: Ignore, priority: [b, a]}}]",
            map([("x", "a"), ("p", "a")]),
        ),
        (
            "[{merge: {conflictPolicy: Ignore, priority: [b]}}]",
            map([("x", "b"), ("p", "b")]),
        ),
        (
            "[{merge: {conflictPolicy: Ignore}}]",
            map([("x", "c"), ("p", "b")]),
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(rewritten(text, input()), Ok(wanted), "{text}");
    }
}

#[test]
fn a_missing_priority_key_is_an_error_unless_ignored() {
    let input = || map([("a", r#"{"x":"1"}"#)]);

    assert_eq!(
        rewritten("[{merge: {priority: [zz]}}]", input()).unwrap_err(),
        "failed rewrite operation[0]: merge failed with key \"zz\" not found in input map"
    );
    assert_eq!(
        rewritten(
            "[{merge: {priority: [zz], priorityPolicy: IgnoreNotFound}}]",
            input()
        ),
        Ok(map([("x", "1")]))
    );
}

#[test]
fn members_met_twice_are_listed_in_order_and_once() {
    let input = map([
        ("a", r#"{"x":1,"p":1}"#),
        ("b", r#"{"x":2,"p":2}"#),
        ("c", r#"{"x":3}"#),
    ]);

    assert_eq!(
        rewritten("[{merge: {}}]", input).unwrap_err(),
        "failed rewrite operation[0]: merge failed with conflicts: p, x"
    );
}

#[test]
fn values_that_are_no_objects_are_refused_without_showing_them() {
    let prefix = "failed rewrite operation[0]: merge failed with failed to unmarshal JSON: ";
    let cases = [
        ("plain", "invalid character looking for beginning of value"),
        (r#"{"a":"#, "unexpected end of JSON input"),
        (
            "[1]",
            "json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (
            r#""s""#,
            "json: cannot unmarshal string into Go value of type map[string]interface {}",
        ),
    ];
    for (value, wanted) in cases {
        assert_eq!(
            rewritten("[{merge: {}}]", map([("a", value)])),
            Err(format!("{prefix}{wanted}")),
            "{value}"
        );
    }
    assert_eq!(
        rewritten("[{merge: {}}]", map([("a", "null")])),
        Ok(SecretMap::new())
    );
}

#[test]
fn one_object_needs_a_key() {
    assert_eq!(
        rewritten("[{merge: {strategy: JSON}}]", map([("a", "{}")])).unwrap_err(),
        "failed rewrite operation[0]: merge failed with missing 'into' field"
    );
}

#[test]
fn a_template_renders_keys_anew() {
    let upper = "[{transform: {template: '{{ .value | upper }}_x'}}]";
    let missing = "[{transform: {template: '{{ .other }}'}}]";

    assert_eq!(rewritten(upper, map([("a", "1")])), Ok(map([("A_x", "1")])));
    assert_eq!(
        rewritten(missing, map([("a", "1")])),
        Ok(map([("<no value>", "1")]))
    );
}

#[test]
fn a_template_that_does_not_parse_is_refused() {
    assert_eq!(
        rewritten("[{transform: {template: '{{ .value'}}]", map([("a", "1")])).unwrap_err(),
        "failed rewrite operation[0]: transform failed with failed to parse template: template: \
         transform:1: unclosed action"
    );
}
