//! The operators that are measured, and one of them running: its process, its log and what it has
//! cost so far.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lockstep_testkit::operator::Operator;
use lockstep_testkit::place;
use lockstep_testkit::progress::say;
use tempfile::NamedTempFile;

use crate::fixture::Fixture;
use lockstep_testkit::process::Usage;

/// An operator binary with the flags it is run with.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    program: PathBuf,
    flags: Vec<String>,
}

impl Subject {
    /// Our operator: the binary given, or one built now.
    pub(crate) fn ours(given: Option<&Path>) -> Result<Self> {
        let program = match given {
            Some(path) => found(path)?,
            None => build(&[])?,
        };
        Ok(Self {
            program,
            flags: Vec::new(),
        })
    }

    /// Another operator with flags of its own.
    pub(crate) fn other(path: &Path, flags: &[String]) -> Result<Self> {
        Ok(Self {
            program: found(path)?,
            flags: flags.to_vec(),
        })
    }

    /// The program itself.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Program and flags, for reports.
    pub(crate) fn label(&self) -> String {
        let name = self.program.display().to_string();
        [&[name], self.flags.as_slice()].concat().join(" ")
    }

    /// Starts it on a cluster, without waiting for anything.
    pub(crate) fn start(&self, fixture: &Fixture) -> Result<Running> {
        let log = tempfile::Builder::new()
            .prefix("lockstep-bench-")
            .suffix(".log")
            .tempfile()?;
        let flags: Vec<_> = self.flags.iter().map(String::as_str).collect();
        let kubeconfig = fixture.cluster().operator_kubeconfig();
        let operator = Operator::start(&self.program, &kubeconfig, &flags, log.path())?;
        Ok(Running {
            operator,
            _log: log,
        })
    }
}

/// An operator at work; ends with the value.
pub(crate) struct Running {
    pub(crate) operator: Operator,
    _log: NamedTempFile,
}

impl Running {
    /// What it has cost so far.
    pub(crate) fn usage(&self) -> Result<Usage> {
        Usage::of(self.operator.id())
    }
}

fn found(path: &Path) -> Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("no operator at {}", path.display()))
}

/// Builds our operator for release, with these flags for its features.
pub(crate) fn build(features: &[&str]) -> Result<PathBuf> {
    say("building our operator with the release profile (several minutes the first time)");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(place::workspace())
        .args(["build", "--release", "--package", "lockstep"])
        .args(features)
        .status()?;
    if !status.success() {
        bail!("the operator does not build; give a binary with --ours");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(place::workspace().join(target).join("release/lockstep"))
}
