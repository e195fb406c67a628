//! `cargo xtask bench …`: hands over to the package `xtask-bench`, built with optimisation so that
//! the measuring program does not take the time of what it measures.

use anyhow::Result;

use crate::shell;

/// Measures an operator binary, or the API server alone, on the test control plane
///
/// `bench scale` runs an operator over many ExternalSecrets, `bench raw` does the same writes
/// without one. Options of both: `cargo xtask bench scale --help`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// What to measure and its options
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "scale|raw"
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
