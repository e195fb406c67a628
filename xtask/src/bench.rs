//! `cargo xtask bench …`: hands over to the package `xtask-bench`, built with optimisation so that
//! the measuring program does not take the time of what it measures.

use anyhow::Result;

use crate::shell;

/// Measures an operator binary, or the API server alone, on the test control plane
///
/// `bench scale` runs an operator over many ExternalSecrets: time to all Secrets and all Ready,
/// memory, CPU, API requests, latency of a new object. `bench raw` does the same writes with a
/// plain client. Both take `--objects N` and `--output json`, scale also `--operator PATH`; see
/// `cargo xtask bench scale --help`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure and its options
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "scale|raw",
        required = true
    )]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = shell::cargo();
    command.args([
        "run",
        "--profile",
        "quick",
        "--package",
        "xtask-bench",
        "--",
    ]);
    shell::run(command.args(&args.rest))
}
