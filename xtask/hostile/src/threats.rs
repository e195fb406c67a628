//! The threat model names the tests that show its defences: every name must exist, and every entry of
//! the catalogue must be named. The page on limits names files, which must exist too. Only tests.

use std::collections::BTreeSet;
use std::path::Path;

use lockstep_testkit::place;

use crate::catalogue;

/// Folders with tests.
const SOURCES: [&str; 5] = ["bin", "crates", "providers", "xtask", "fuzz"];

/// Texts in backticks on a page of `docs`.
fn quoted(page: &str) -> Vec<String> {
    let page = place::workspace().join("docs").join(page);
    let text = std::fs::read_to_string(page).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

/// Names in the threat model that begin with `prefix`, without it.
fn named(prefix: &str) -> BTreeSet<String> {
    let quoted = quoted("threat-model.md").into_iter();
    quoted
        .filter_map(|text| Some(text.strip_prefix(prefix)?.to_owned()))
        .filter(|name| !name.is_empty())
        .collect()
}

fn sources(folder: &Path, all: &mut String) {
    for child in std::fs::read_dir(folder).unwrap() {
        let path = child.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn the_threat_model_names_every_entry_and_no_other() {
    let entries = catalogue::all().unwrap().into_iter();
    let entries: BTreeSet<_> = entries.map(|entry| entry.name).collect();

    assert_eq!(named("hostile/"), entries);
}

#[test]
fn tests_that_the_threat_model_names_exist() {
    let mut all = String::new();
    for folder in SOURCES {
        sources(&place::workspace().join(folder), &mut all);
    }
    let missing: Vec<_> = named("test:")
        .into_iter()
        .filter(|name| !all.contains(&format!("fn {name}(")))
        .collect();

    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn files_that_the_page_on_limits_names_exist() {
    let folders = SOURCES.map(|folder| format!("{folder}/"));
    let files = quoted("limits.md").into_iter();
    let missing: Vec<_> = files
        .filter(|name| folders.iter().any(|folder| name.starts_with(folder)))
        .filter(|name| !place::workspace().join(name).exists())
        .collect();

    assert_eq!(missing, Vec::<String>::new());
}
