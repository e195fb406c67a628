//! Why the binary holds two YAML readers: counts the recorded documents on which the parser that `kube`
//! brings along and the Go library disagree about syntax alone. `docs/adr/0068-two-yaml-readers.md`
//! quotes the figures.

use serde_json::Value;
use serde_saphyr::granit_parser::Parser;

/// How the two judge one document.
#[derive(Default)]
struct Tally {
    documents: usize,
    only_go_reads: usize,
    only_the_crate_reads: usize,
}

/// Whether Go refused the syntax, rather than a key or a value that JSON cannot hold.
fn is_syntax(error: &str) -> bool {
    error.contains("yaml: line") || error.contains("yaml: found") || error.contains("did not find")
}

#[test]
fn the_crates_parser_and_go_disagree_about_syntax() {
    let tables = [
        include_str!("../conformance/yaml.jsonl"),
        include_str!("../conformance/yaml-random.jsonl"),
    ];
    let mut tally = Tally::default();

    for line in tables.iter().flat_map(|table| table.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let read = Parser::new_from_str(case["yaml"].as_str().unwrap()).all(|step| step.is_ok());
        let error = case.get("error").and_then(Value::as_str);
        tally.documents += 1;
        match error {
            None if !read => tally.only_go_reads += 1,
            Some(error) if read && is_syntax(error) => tally.only_the_crate_reads += 1,
            _ => {}
        }
    }

    eprintln!(
        "{} documents: {} that only Go reads, {} that only the crate reads",
        tally.documents, tally.only_go_reads, tally.only_the_crate_reads
    );
    // When this fails, the crate's parser can take the place of ours: see the decision record.
    assert!(tally.only_go_reads + tally.only_the_crate_reads > 0);
}
