//! `cargo xtask hostile …`: hands over to the package `xtask-hostile`. Its short form is part of the
//! test command, with the binaries that the tests have built.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use lockstep_testkit::progress::say;

use crate::shell;
use crate::test::tally::Tally;

/// What an operator without optimisation may take for a new healthy object beside tests, in seconds.
const LATE: &str = "--late=15";

/// Resident memory of an operator without optimisation while ten entries are at work at once, in MiB.
/// An optimised one is held to the default of 128 MiB.
const MEMORY: &str = "--memory=256";

/// Runs hostile manifests and backends against an operator beside healthy tenants
///
/// Prints for each entry of the catalogue what the healthy tenants noticed: objects late or no longer
/// ready, Secrets lost, restarts, memory, the lease. Takes `--operator PATH`, `--only NAME,…`,
/// `--short`, `--list` and `--output json`; see `cargo xtask hostile --help`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Options of the run
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = shell::cargo();
    let package = ["run", "--profile", "quick", "--package", "xtask-hostile"];
    shell::run(command.args(package).arg("--").args(&args.rest))
}

/// The short form against an operator that is built already; every entry counts as a test.
pub(crate) fn short(operator: &Path) -> Result<Tally> {
    let program = shell::target_dir().join("debug/xtask-hostile");
    let mut command = Command::new(&program);
    command
        .current_dir(lockstep_testkit::place::workspace())
        .args(["--short", "--output=tally", LATE, MEMORY, "--operator"])
        .arg(operator);
    let line = shell::line_of(&command);
    say(&format!("$ {line}"));
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let mut tally = None;
    let mut failures = Tally::default();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line?;
            failures.note(&line);
            match Tally::of_line(&line) {
                Some(result) => tally = Some(result),
                None => say(&line),
            }
        }
    }
    child.wait()?;
    Ok(match tally {
        Some(tally) => tally + failures,
        None => failures + Tally::failure(&line),
    })
}
