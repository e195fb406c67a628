//! `cargo xtask bench …`: hands over to the package `xtask-bench`, built with optimisation so that
//! the measuring program does not take the time of what it measures. Layouts under Flux are measured
//! by their tests.

mod gitops;

use anyhow::Result;

use crate::shell;

/// Measures an operator binary, or the API server alone, on the test control plane
///
/// `bench scale` runs our operator, and a second one given with `--operator PATH`, through
/// scenarios with many ExternalSecrets: first sync, latency of a new object, an idle minute, a
/// restart, a stop. `bench raw` does the writes of a first sync with a plain client. `bench mem`
/// holds the memory of an object to the figure in the repository. `bench webhook` measures the webhook
/// process, `bench weight` the size of the program and its memory at start. `bench aws|azure|gcp|vault --operator PATH` counts requests to the cloud. `bench gitops` measures how long Flux
/// takes with the layouts that people use. The others take `--output json`; see
/// `cargo xtask bench scale --help`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to measure and its options
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "scale|raw|mem|webhook|weight|aws|azure|gcp|vault|gitops",
        required = true
    )]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let [first, words @ ..] = args.rest.as_slice()
        && first == "gitops"
    {
        return gitops::run(words);
    }
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
