//! Runs every recorded case; each line of the tables in `tests/conformance` is one.
//!
//! Expected results come from the Go libraries themselves.
#![expect(clippy::unwrap_used, reason = "a malformed table must stop the tests")]

mod gjson;
mod regexp;

/// Runs `check` on each line of a table and collects what failed.
fn failures(table: &str, check: impl Fn(&serde_json::Value) -> Option<String>) -> Vec<String> {
    let cases: Vec<serde_json::Value> = table
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!cases.is_empty());
    cases.iter().filter_map(check).collect()
}
