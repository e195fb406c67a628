//! Selectors and what the API machinery says of them.

use std::collections::BTreeMap;

use kube::core::SelectorExt;
use serde_json::{Value, json};

use super::*;

fn fault(selector: Value) -> Option<String> {
    compile(&serde_json::from_value(selector).unwrap()).err()
}

fn expression(operator: &str, values: &[&str]) -> Value {
    json!({ "matchExpressions": [{ "key": "a", "operator": operator, "values": values }] })
}

fn labelled(key: &str, value: &str) -> Value {
    json!({ "matchLabels": { key: value } })
}

#[test]
fn selectors_the_api_machinery_takes_are_taken() {
    let longest = format!("{}/{}", "p".repeat(253), "n".repeat(63));

    assert_eq!(fault(json!({})), None);
    assert_eq!(fault(labelled("a.io/b-c", "x")), None);
    assert_eq!(fault(labelled("A_b.c", "")), None);
    assert_eq!(fault(labelled(&longest, &"v".repeat(63))), None);
    assert_eq!(fault(expression("NotIn", &["x"])), None);
    assert_eq!(fault(expression("DoesNotExist", &[])), None);
}

#[test]
fn a_label_that_is_missing_is_not_in_any_set() {
    let selector = serde_json::from_value(expression("NotIn", &["x"])).unwrap();
    let compiled = compile(&selector).unwrap();
    let labels = |value: &str| BTreeMap::from([("a".to_owned(), value.to_owned())]);

    assert!(compiled.matches(&BTreeMap::new()));
    assert!(compiled.matches(&labels("y")));
    assert!(!compiled.matches(&labels("x")));
}

#[test]
fn operators_and_sets_are_refused_in_its_words() {
    let cases = [
        (
            expression("Bad", &[]),
            "\"Bad\" is not a valid label selector operator",
        ),
        (
            expression("NotIn", &[]),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            expression("Exists", &["x"]),
            "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist",
        ),
    ];
    for (selector, wanted) in cases {
        assert_eq!(fault(selector).unwrap(), wanted);
    }
}

#[test]
fn keys_and_values_no_label_can_have_are_refused_in_its_words() {
    let cases = [
        (
            labelled("bad key", "x"),
            "key: Invalid value: \"bad key\": name part must consist of",
        ),
        (
            labelled("/a", "x"),
            "key: Invalid value: \"/a\": prefix part must be non-empty",
        ),
        (
            labelled("a/", "x"),
            "key: Invalid value: \"a/\": name part must be non-empty; name part",
        ),
        (
            labelled("UP/a", "x"),
            "key: Invalid value: \"UP/a\": prefix part a lowercase RFC 1123 subdomain must",
        ),
        (
            labelled("a/b/c", "x"),
            "key: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric",
        ),
        (
            labelled("a", "b c"),
            "values[0][a]: Invalid value: \"b c\": a valid label must be an empty string or",
        ),
        (
            expression("NotIn", &["ok", "-"]),
            "values[1][a]: Invalid value: \"-\": a valid label must be an empty string or",
        ),
        (
            labelled("_", "_"),
            "[key: Invalid value: \"_\": name part must consist of alphanumeric",
        ),
    ];
    for (selector, wanted) in cases {
        let fault = fault(selector).unwrap();
        assert!(fault.starts_with(wanted), "{fault}");
    }
    let long = fault(labelled(&"n".repeat(64), &"v".repeat(64))).unwrap();
    assert!(
        long.contains("name part must be no more than 63 bytes, values[0]["),
        "{long}"
    );
    assert!(long.ends_with(": must be no more than 63 bytes]"), "{long}");
}
