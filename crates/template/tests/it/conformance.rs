//! All recorded cases of Go's own results.

use crate::cases::{self, Texts};

fn passes(file: &str, text: &str) {
    let outcomes = cases::run(file, text, Texts::Go).unwrap();
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|(name, outcome)| Some(format!("{name}: {}", outcome.as_ref().err()?)))
        .collect();

    assert!(!outcomes.is_empty());
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn templates_give_what_go_gives() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates.jsonl"),
    );
}

#[test]
fn paths_find_what_gjson_finds() {
    passes("gjson.jsonl", include_str!("../conformance/gjson.jsonl"));
}

#[test]
fn patterns_replace_what_go_replaces() {
    passes("regexp.jsonl", include_str!("../conformance/regexp.jsonl"));
}

#[test]
fn documents_mean_what_the_kubernetes_library_says() {
    passes("yaml.jsonl", include_str!("../conformance/yaml.jsonl"));
}
