//! `yaml` as the Go library reads it: `value`, or `error`.

use lockstep_golang::{json, yaml};
use serde_json::Value;

fn failure(case: &Value) -> Option<String> {
    let source = case["yaml"].as_str().unwrap();
    let got = yaml::decode(source.as_bytes());
    let same = match (&got, case.get("error")) {
        (Ok(got), None) => normal(got) == normal(&json::Value::from(&case["value"])),
        (Err(error), Some(want)) => same_refusal(&error.to_string(), want.as_str().unwrap()),
        _ => false,
    };
    (!same).then(|| format!("{case}\n  got {:?}", got.map(|value| json::marshal(&value))))
}

/// Where the Go library prints a key or value of the document, the text may differ.
fn same_refusal(got: &str, want: &str) -> bool {
    let shown = ["invalid map key: ", "unsupported map key of type: "];
    got == want
        || shown
            .iter()
            .any(|part| got.contains(part) && want.contains(part))
}

/// The value with all numbers as Go's float64.
fn normal(value: &json::Value) -> String {
    let text = json::marshal(value);
    json::marshal(&json::decode(text.as_bytes()).unwrap())
}

#[test]
fn every_recorded_document_is_read_as_in_go() {
    let tables = [
        include_str!("../conformance/yaml.jsonl"),
        include_str!("../conformance/yaml-random.jsonl"),
    ];

    let failures = crate::failures(&tables, failure);

    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
