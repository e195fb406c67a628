//! The workspace's own tests through `cargo test`: built once together with the operator, run
//! against one cluster, and shown by their failures. Integration tests that need an API server are
//! test targets whose name begins with `cluster`, those that need Helm begin with `helm`.

use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use cargo_metadata::TargetKind;
use lockstep_testkit::controlplane::{CLUSTER, Cluster};
use lockstep_testkit::progress::say;

use super::Args;
use super::tally::Tally;
use crate::shell;

/// The variable that says how many tests of a target run at once.
const THREADS: &str = "RUST_TEST_THREADS";

/// The operator binary that [`build`] makes.
pub(super) fn operator() -> PathBuf {
    shell::target_dir().join("debug/lockstep")
}

/// Compiles the operator and every test in one go, so that they share their dependencies' features.
pub(super) fn build() -> Result<()> {
    shell::run(shell::cargo().args(["build", "--workspace", "--bins", "--tests"]))
}

/// Runs the tests; without a cluster, those that need one are left out.
pub(super) fn run(args: &Args, cluster: Option<&Cluster>) -> Result<Tally> {
    let Some(cluster) = cluster else {
        let mut tally = cargo_test(args, shell::cargo().args(selection(&without_cluster()?)))?;
        tally += cargo_test(args, shell::cargo().args(selection(&["--doc".into()])))?;
        return Ok(tally);
    };
    let mut command = shell::cargo();
    command.args(selection(&[])).env(CLUSTER, cluster.dir());
    if std::env::var_os(THREADS).is_none() {
        // Tests on a cluster mostly wait; one a core, the default, leaves the cores idle.
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        command.env(THREADS, (2 * cores).to_string());
    }
    cargo_test(args, &mut command)
}

fn selection(targets: &[String]) -> Vec<String> {
    let fixed = ["test", "--workspace", "--no-fail-fast"].map(str::to_owned);
    fixed.into_iter().chain(targets.iter().cloned()).collect()
}

/// Arguments that select every test target but those of a cluster and of programs built with Go.
fn without_cluster() -> Result<Vec<String>> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .current_dir(lockstep_testkit::place::workspace())
        .no_deps()
        .exec()?;
    let targets = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    let mut names: Vec<_> = targets
        .filter(|target| target.kind.contains(&TargetKind::Test))
        .map(|target| target.name.as_str())
        .filter(|name| !name.starts_with("cluster") && !name.starts_with("helm"))
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut arguments = vec!["--lib".to_owned(), "--bins".to_owned()];
    arguments.extend(names.into_iter().map(|name| format!("--test={name}")));
    Ok(arguments)
}

pub(super) fn cargo_test(args: &Args, command: &mut Command) -> Result<Tally> {
    if let Some(filter) = &args.filter {
        command.args(["--", filter]);
    }
    let line = shell::line_of(command);
    say(&format!("$ {line}"));
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let mut tally = Tally::default();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line?;
            tally.note(&line);
            if line.starts_with("test result:") {
                tally += Tally::of_line(&line).unwrap_or_default();
            }
            if args.verbose || worth_showing(&line) {
                say(&line);
            }
        }
    }
    let status = child.wait()?;
    if !status.success() && tally.failed == 0 {
        // Nothing was counted as failed, so something did not even compile or start.
        tally += Tally::failure(&line);
    }
    Ok(tally)
}

/// Passed tests are counted, not shown.
fn worth_showing(line: &str) -> bool {
    let passed =
        line.starts_with("test ") && (line.ends_with(" ... ok") || line.contains(" - compile"));
    !(passed
        || line.is_empty()
        || line.starts_with("running ")
        || line.contains("result: ok. 0 passed"))
}
