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
fn the_language_is_read_and_refused_as_go_does() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates-language.jsonl"),
    );
}

#[test]
fn functions_give_what_those_of_go_give() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates-functions.jsonl"),
    );
}

#[test]
fn dates_are_formatted_and_parsed_as_go_does() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates-dates.jsonl"),
    );
}

#[test]
fn yaml_is_written_as_the_kubernetes_library_does() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates-yaml.jsonl"),
    );
}

#[cfg(feature = "crypto")]
#[test]
fn keys_and_certificates_are_handled_as_go_does() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates-crypto.jsonl"),
    );
}

#[test]
fn what_once_differed_from_go_no_longer_does() {
    passes(
        "templates.jsonl",
        include_str!("../conformance/templates-found.jsonl"),
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
