use lockstep_template::{Budget, Limits};

use super::*;
use crate::settings::Settings;
use crate::testing::map;

fn operations(text: &str) -> Vec<Rewrite> {
    serde_saphyr::from_str(text).unwrap()
}

fn rewritten(text: &str, input: SecretMap) -> Result<SecretMap, String> {
    let (settings, budget) = (Settings::default(), Budget::new(Limits::default()));
    let work = Work {
        settings: &settings,
        now: crate::testing::noon(),
        budget: &budget,
    };
    rewrite(&operations(text), input, work).map_err(|error| error.to_string())
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

#[test]
fn keys_that_grow_with_each_match_are_refused_before_they_are_made() {
    let target = "$0".repeat(2_000);
    let text = format!("[{{regexp: {{source: '.+', target: '{target}'}}}}]");
    let key = "k".repeat(200_000);

    let error = rewritten(&text, map([(key.as_str(), "1")])).unwrap_err();

    assert!(error.contains("values exceed the memory limit"), "{error}");
}

#[test]
fn expressions_of_one_object_share_its_budget() {
    let costly = "{regexp: {source: '((a{0,100}){0,10}b{0,500})?', target: x}}";
    let many = format!("[{}]", vec![costly; 400].join(", "));
    let few = format!("[{costly}]");

    assert!(rewritten(&few, map([("a", "1")])).is_ok());
    let error = rewritten(&many, map([("a", "1")])).unwrap_err();
    assert!(error.contains("limit of"), "{error}");
}

#[test]
fn an_expression_may_not_be_endless() {
    let text = format!(
        "[{{regexp: {{source: '{}', target: x}}}}]",
        "a".repeat(20_000)
    );

    let error = rewritten(&text, map([("a", "1")])).unwrap_err();

    assert!(
        error.ends_with("the expression has 20000 bytes and may have 16384"),
        "{error}"
    );
}

#[test]
fn transforms_of_many_keys_share_one_budget() {
    let text = "[{transform: {template: '{{ repeat 1000000 .value | len }}{{ .value }}'}}]";
    let keys: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
    let input = keys.iter().map(|key| (key.as_str(), "1"));

    let error =
        rewritten(text, input.map(|(k, v)| (k.to_owned(), v.into())).collect()).unwrap_err();

    assert!(error.contains("values exceed the memory limit"), "{error}");
}

#[test]
fn a_merge_counts_the_tree_its_values_become() {
    let value = format!("{{\"a\":[{}0]}}", "0,".repeat(1_000_000));

    let error = rewritten("[{merge: {}}]", map([("a", value.as_str())])).unwrap_err();

    assert!(error.contains("values exceed the memory limit"), "{error}");
}
