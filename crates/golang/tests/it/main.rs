//! Runs every recorded case; each line of the tables in `tests/conformance` is one.
//!
//! Expected results come from the Go libraries themselves.
#![expect(clippy::unwrap_used, reason = "a malformed table must stop the tests")]

mod gjson;
mod regexp;
mod robust;
mod small_stack;
mod two_readers;
mod yaml;

/// Runs `check` on each line of some tables and lists what failed.
fn failures(tables: &[&str], check: impl Fn(&serde_json::Value) -> Option<String>) -> Vec<String> {
    let lines = tables.iter().flat_map(|table| table.lines());
    let cases: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!cases.is_empty());
    cases.iter().filter_map(check).collect()
}
