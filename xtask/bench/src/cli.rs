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
    /// Runs our operator, and a second one beside it, through scenarios with many ExternalSecrets
    ///
    /// Each scenario has a control plane of its own, 100 namespaces and one ClusterSecretStore that
    /// reads from a counting HTTP server. Requests are the API server's own count for Secrets and
    /// both API groups. A figure of ours that misses its target is marked and ends the command with
    /// an error. Only flags of the original are used, so any drop-in can be measured.
    Scale(ScaleArgs),
    /// Does the same writes with a plain client and no operator: finalizer, Secret, status
    Raw(RawArgs),
    /// Measures the memory an object costs and compares it with the figure kept in the repository
    Mem(MemArgs),
    /// Counts the requests to AWS that many ExternalSecrets over fewer secrets need, on moto
    ///
    /// Counted for the first sync and for one refresh interval after it. Beside it stands what one
    /// read an object costs, which is what the original makes.
    Aws(CloudArgs),
    /// Counts requests to Azure: many ExternalSecrets over fewer secrets, on the test servers
    Azure(CloudArgs),
    /// Counts requests to Google: many ExternalSecrets over fewer secrets, on the test server
    Gcp(CloudArgs),
    /// Counts requests to Vault: many ExternalSecrets over fewer secrets, on an OpenBao server
    Vault(CloudArgs),
    /// Measures the webhook process while the API server asks it for admission reviews
    Webhook(WebhookArgs),
    /// Measures size, build time and memory at start of the release build, by groups of providers
    Weight(WeightArgs),
}

#[derive(Args)]
pub(crate) struct WeightArgs {
    /// Measure the default build alone
    #[arg(long)]
    pub(crate) default_only: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct WebhookArgs {
    /// Our program, built already [default: built now with the release profile]
    #[arg(long, value_name = "PATH")]
    pub(crate) ours: Option<PathBuf>,
    /// How many ExternalSecrets it reviews
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) reviews: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct CloudArgs {
    /// The operator to measure
    #[arg(long, value_name = "PATH")]
    pub(crate) operator: PathBuf,
    /// How many ExternalSecrets
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) objects: usize,
    /// How many secrets they share
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) secrets: usize,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// New objects up to the last Secret and the last Ready, beside a plain client that does the
    /// same writes; memory, requests, CPU
    Sync,
    /// A new object among many that refresh every minute from a server that takes 50 ms
    Latency,
    /// One minute in which nothing changes: 3 keys an object, the same 3 for all, refreshed every
    /// minute
    Idle,
    /// One minute in which nothing changes for PushSecrets that are refreshed twice in it
    Push,
    /// A ClusterExternalSecret and a ClusterPushSecret over many namespaces, beside a plain client
    FanOut,
    /// The first new object after a restart
    Restart,
    /// A stop in the middle of the first sync
    Stop,
}

#[derive(Args)]
pub(crate) struct ScaleArgs {
    /// Only these scenarios [default: all, about ten minutes]
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub(crate) scenario: Vec<Scenario>,
    /// How many ExternalSecrets [default: what the targets are set for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) objects: Option<u32>,
    /// Our operator, built already [default: built now with the release profile]
    #[arg(long, value_name = "PATH")]
    pub(crate) ours: Option<PathBuf>,
    /// A second operator, measured beside ours with its own flags; ratios are printed
    #[arg(long, value_name = "PATH")]
    pub(crate) operator: Option<PathBuf>,
    /// A flag for the second operator, such as --operator-flag=--concurrent=50; may be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) operator_flag: Vec<String>,
    /// Measure the second operator alone
    #[arg(long, requires = "operator")]
    pub(crate) operator_only: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub(crate) limit: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Args)]
pub(crate) struct RawArgs {
    /// How many requests are under way at a time
    #[arg(long, default_value_t = RAW_WORKERS, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) workers: u16,
    /// How many ExternalSecrets
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) objects: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

/// Workers of the plain client where nothing else is said.
pub(crate) const RAW_WORKERS: u16 = 16;

#[derive(Args)]
pub(crate) struct MemArgs {
    /// Our operator, built already [default: built now with the release profile]
    #[arg(long, value_name = "PATH")]
    pub(crate) ours: Option<PathBuf>,
    /// Keep the figure as the one to compare with
    #[arg(long)]
    pub(crate) record: bool,
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
