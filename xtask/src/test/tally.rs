//! Counting results: what passed and what failed, read from the lines that test programs print.
//! Names of what failed are kept and said again at the end, where nobody has to look for them.

use std::fmt;
use std::io::Write;
use std::ops::{Add, AddAssign};
use std::process::ExitCode;

use anyhow::{Result, bail};

/// How many tests passed and failed, and which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: usize,
    /// Tests that failed, or could not be run.
    pub(crate) failed: usize,
    /// What failed, as far as it has names.
    names: Vec<String>,
}

impl Tally {
    /// One thing that could not be run at all.
    pub(crate) fn failure(what: &str) -> Self {
        Self {
            passed: 0,
            failed: 1,
            names: vec![what.to_owned()],
        }
    }

    /// Keeps the name in a line that reports a failure: `test NAME ... FAILED` of Rust's tests,
    /// `FAIL NAME: …` of the case runner.
    pub(crate) fn note(&mut self, line: &str) {
        let test = line.strip_prefix("test ");
        let test = test.and_then(|rest| rest.strip_suffix(" ... FAILED"));
        let case = line.strip_prefix("FAIL ");
        let case = case.and_then(|rest| Some(rest.split_once(": ")?.0));
        self.names.extend(test.or(case).map(str::to_owned));
    }

    /// Reads a line of the form `… 5 passed; 1 failed …` or `5 passed, 1 failed`; other lines count
    /// nothing.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let words: Vec<_> = line
            .split(|c: char| c.is_whitespace() || c == ';' || c == ',')
            .filter(|word| !word.is_empty())
            .collect();
        let before = |what: &str| {
            let at = words.iter().position(|word| *word == what)?;
            words.get(at.checked_sub(1)?)?.parse().ok()
        };
        Some(Self {
            passed: before("passed")?,
            failed: before("failed")?,
            names: Vec::new(),
        })
    }

    /// Writes the one line that says how it went, as the last of all, and turns it into an exit code.
    pub(crate) fn close(self) -> ExitCode {
        let mut out = std::io::stdout().lock();
        // A closed standard output does not change the result.
        for name in &self.names {
            drop(writeln!(out, "failed: {name}"));
        }
        drop(writeln!(out, "{self}"));
        if self.failed > 0 {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }

    /// An error if anything failed.
    pub(crate) fn require(self) -> Result<()> {
        if self.failed > 0 {
            bail!("{self}");
        }
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.names.extend(other.names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_of_both_kinds_are_read() {
        let rust = "test result: FAILED. 5 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        let want = Some(Tally {
            passed: 5,
            failed: 1,
            names: Vec::new(),
        });

        assert_eq!(Tally::of_line(rust), want);
        assert_eq!(Tally::of_line("5 passed, 1 failed"), want);
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(Tally::of_line("test a_test_that_passed ... ok"), None);
        assert_eq!(Tally::of_line("two passed, 1 failed"), None);
    }

    #[test]
    fn what_failed_is_kept_by_name() {
        let mut tally = Tally::default();
        for line in [
            "test queue::is_empty ... ok",
            "test queue::is_full ... FAILED",
            "FAIL es-data/property: A property of a value",
            "     spec.x: expected 1",
        ] {
            tally.note(line);
        }

        assert_eq!(tally.names, ["queue::is_full", "es-data/property"]);
    }
}
