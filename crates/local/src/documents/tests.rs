use super::*;

fn read_text(text: &str) -> Documents {
    let mut documents = Documents::default();
    documents.add("a.yaml", text);
    documents
}

fn places(documents: &Documents) -> Vec<(usize, usize)> {
    documents
        .read
        .iter()
        .map(|read| (read.origin.document, read.origin.line))
        .collect()
}

#[test]
fn json_without_a_file_name_is_told_as_json() {
    let mut documents = Documents::default();
    documents.add("standard input", "{\"kind\": \"List\", \"items\": [");

    let problem = documents.problems[0].to_string();
    assert!(problem.contains("not valid JSON"), "{problem}");
}

#[test]
fn documents_are_numbered_and_know_their_line() {
    let documents = read_text("# top\nkind: A\n---\n\nkind: B\n--- # note\nkind: C\n");

    assert_eq!(places(&documents), [(1, 2), (2, 5), (3, 7)]);
}

#[test]
fn a_leading_mark_and_empty_documents_do_not_count() {
    let documents = read_text("---\nkind: A\n---\n# nothing\n---\nkind: B\n---\n");

    assert_eq!(places(&documents), [(1, 2), (3, 6)]);
}

#[test]
fn a_broken_document_leaves_the_others() {
    let documents = read_text("kind: A\n---\nkind: [\n---\nkind: C\n");

    assert_eq!(places(&documents), [(1, 1), (3, 5)]);
    assert_eq!(documents.problems.len(), 1);
    assert_eq!(documents.problems[0].origin.document, 2);
    assert!(documents.problems[0].origin.line >= 3);
}

#[test]
fn a_dashed_line_inside_a_value_is_no_mark() {
    let documents = read_text("kind: A\ntext: |\n  ---\n  x\n");

    assert_eq!(documents.read[0].value["text"], "---\nx\n");
}

#[test]
fn a_syntax_error_shows_no_value() {
    let documents = read_text("kind: Secret\nstringData:\n  password: \"hunter2-canary\n");

    let text = documents.problems[0].to_string();
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn quoted_parts_of_messages_are_taken_out() {
    let text = without_values("invalid type: string \"hunter2\", expected `x`\nmore hunter2");

    assert_eq!(text, "invalid type: string \"…\", expected `…`");
}

#[test]
fn a_list_counts_as_its_items() {
    let documents = read_text("apiVersion: v1\nkind: List\nitems:\n  - kind: A\n  - kind: B\n");

    assert_eq!(places(&documents), [(1, 4), (1, 5)]);
}

#[test]
fn a_file_that_cannot_be_read_is_a_problem_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), "kind: A\n").unwrap();
    std::fs::write(folder.path().join("b.yaml"), [0xff, 0xfe, b'x']).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("c.yaml")).unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    std::fs::write(folder.path().join(".git/d.yaml"), "kind: D\n").unwrap();

    let documents = read(folder.path(), None).unwrap();

    assert_eq!(places(&documents), [(1, 1)]);
    let problems: Vec<&str> = documents
        .problems
        .iter()
        .map(|problem| problem.origin.file.as_str())
        .collect();
    assert_eq!(problems, ["b.yaml", "c.yaml"]);
}

#[test]
fn something_that_is_not_closed_is_reported_where_it_was_opened() {
    let documents = read_text("a: 1\nb: \"canary\nc: 2\nd: 3\n");

    assert_eq!(
        documents.problems[0].to_string(),
        "a.yaml:2 (document 1): not valid YAML: a quotation mark or bracket is not closed; fix this \
         document; the others are used"
    );
}
