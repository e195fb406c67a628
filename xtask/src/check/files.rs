//! Rules about single files: length, headers, names, who reads the environment, and no paths of one
//! machine. Which files there are is git's answer; generated files and tests are longer by nature
//! and only partly held to this.

use std::path::Path;

use anyhow::{Context, Result};

use crate::shell;

/// The most lines of a shipped file.
const LIMIT: usize = 700;

/// Shipped files that may be longer, each with its reason.
const LONGER: &[(&str, &str)] = &[];

/// Module names that say nothing.
const VAGUE: &[&str] = &[
    "mod", "util", "utils", "common", "helper", "helpers", "misc", "manager",
];

/// Folders whose code may read environment variables: binaries and development tools.
const MAY_READ_ENVIRONMENT: &[&str] = &["bin/", "xtask/", "crates/testkit/"];

/// Every broken rule, as sentences.
pub(super) fn problems(root: &Path) -> Result<Vec<String>> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let names = shell::output(
        std::process::Command::new("git")
            .current_dir(root)
            .args(list),
    )
    .context("the layout rules need a git checkout")?;
    let machine = Machine::of(root);
    let mut found = Vec::new();
    for name in names.lines() {
        // Deleted but not yet committed files are listed too; binary files hold no text to judge.
        let Ok(text) = std::fs::read_to_string(root.join(name)) else {
            continue;
        };
        found.extend(
            machine
                .path_in(&text)
                .map(|path| format!("{name} holds the machine path {path}")),
        );
        if Path::new(name).extension().is_some_and(|end| end == "rs") {
            found.extend(in_source(name, &text));
        }
    }
    Ok(found)
}

fn in_source(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines = text.lines().count();
    let excused = LONGER.iter().any(|(file, _)| *file == name);
    if lines > LIMIT && shipped(name) && !excused {
        found.push(format!(
            "{name} has {lines} lines, the limit is {LIMIT}: split it by concept"
        ));
    }
    // A provider's README documents its crate, and `tests.rs` says by its place what it tests.
    let told = text.starts_with("//!") || text.starts_with("#![doc = include_str!(");
    if !told && !name.ends_with("/tests.rs") {
        found.push(format!(
            "{name} does not begin with a //! header that says what it does"
        ));
    }
    let stem = Path::new(name)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if VAGUE.contains(&stem) {
        found.push(format!(
            "{name}: a module called {stem} says nothing, name its concept"
        ));
    }
    let free = MAY_READ_ENVIRONMENT
        .iter()
        .any(|folder| name.starts_with(folder));
    if !free && shipped(name) && reads_environment(text) {
        found.push(format!(
            "{name} reads environment variables: only binaries and tools may"
        ));
    }
    found
}

fn shipped(name: &str) -> bool {
    let test = name
        .split('/')
        .any(|part| part == "tests" || part == "tests.rs" || part == "benches");
    !test && !name.contains("generated")
}

fn reads_environment(text: &str) -> bool {
    text.lines().any(|line| {
        let code = line.trim_start();
        !code.starts_with("//")
            && ["env::var(", "env::var_os(", "env::vars("]
                .iter()
                .any(|call| code.contains(call))
    })
}

/// What paths of this and other machines look like.
struct Machine {
    patterns: Vec<String>,
}

impl Machine {
    fn of(root: &Path) -> Self {
        let mut patterns = vec![root.display().to_string()];
        patterns.extend(["root", "home", "Users"].map(|top| format!("/{top}/")));
        Self { patterns }
    }

    /// The first machine path in a text, up to the end of its word.
    fn path_in(&self, text: &str) -> Option<String> {
        let hits = self.patterns.iter().filter_map(|pattern| {
            let at = text
                .match_indices(pattern.as_str())
                .map(|(at, _)| at)
                .find(|at| {
                    // Below a host, a variable or `~` it is no absolute path.
                    let before = text[..*at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || "._~-/}".contains(c))
                })?;
            let rest = &text[at..];
            Some(
                rest.split([' ', '"', '\'', '`', ')', '\n', ','])
                    .next()
                    .unwrap_or(rest)
                    .to_owned(),
            )
        });
        hits.into_iter().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_file_has_no_problems() {
        assert_eq!(
            in_source("crates/plan/src/merge.rs", "//! Merges.\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn missing_headers_and_vague_names_are_found() {
        let found = in_source("crates/plan/src/utils.rs", "fn f() {}\n");

        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn long_files_fail_unless_they_are_tests() {
        let text = format!("//! Long.\n{}", "\n".repeat(LIMIT));

        assert_eq!(in_source("crates/plan/src/merge.rs", &text).len(), 1);
        assert_eq!(in_source("crates/plan/src/merge/tests.rs", &text).len(), 0);
    }

    #[test]
    fn only_binaries_and_tools_read_the_environment() {
        let text = "//! Reads.\nfn f() { std::env::var(\"A\"); }\n";

        assert_eq!(in_source("crates/plan/src/merge.rs", text).len(), 1);
        assert_eq!(in_source("bin/lockstep/src/main.rs", text).len(), 0);
    }

    #[test]
    fn paths_of_a_machine_are_found_and_addresses_are_not() {
        let machine = Machine::of(Path::new("/srv/checkout"));
        let home = format!("see `/{}/ann/notes`", "home");

        assert_eq!(
            machine.path_in("cd /srv/checkout/x"),
            Some("/srv/checkout/x".into())
        );
        assert!(machine.path_in(&home).is_some());
        assert_eq!(machine.path_in("https://example.org/home/x"), None);
    }
}
