//! `cargo xtask simulate …`: hands over to the package `xtask-simulate`, built with optimisation.

use anyhow::Result;

use crate::shell;

/// Drives scheduler, shared reads and governors through a simulated day
///
/// Prints reads, staleness, requests a second by store, and memory an object. Takes `--objects N`,
/// `--keys N`, `--stores N`, `--hours N`, `--restarts N` and `--seed N`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Options of the simulation
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = shell::cargo();
    command.args(["run", "--release", "--package", "xtask-simulate", "--"]);
    shell::run(command.args(&args.rest))
}
