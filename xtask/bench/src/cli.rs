//! What can be asked of the benchmarks.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Measures an operator binary, or the API server alone, on the test control plane
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Runs an operator over many ExternalSecrets
    ///
    /// The objects are created while no operator runs: 100 namespaces, one ClusterSecretStore with
    /// the fake provider, one key of 8 bytes an object. The clock starts with the process and stops
    /// at the last Secret seen in a watch, then at the last ExternalSecret that is Ready. Requests
    /// are the API server's own count for Secrets and both API groups.
    Scale(ScaleArgs),
    /// Does the same writes with a plain client and no operator: finalizer, Secret, status
    Raw(RawArgs),
}

#[derive(Args)]
pub(crate) struct ScaleArgs {
    /// Any operator binary that takes the original's flags [default: ours, built with the release
    /// profile]
    #[arg(long, value_name = "PATH")]
    pub(crate) operator: Option<PathBuf>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub(crate) limit: u64,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Args)]
pub(crate) struct RawArgs {
    /// How many requests are under way at a time
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) workers: u16,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Args)]
pub(crate) struct Shared {
    /// How many ExternalSecrets
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) objects: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// A table for people
    Table,
    /// One JSON object
    Json,
}
