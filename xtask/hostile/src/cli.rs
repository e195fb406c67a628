//! What can be asked of the catalogue.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Runs hostile manifests and backends against an operator beside healthy tenants
///
/// Each entry of the catalogue gets a namespace of its own on one test control plane. Meanwhile new
/// objects of healthy tenants are created twice a second. An entry fails when a healthy tenant, the
/// process or its lease suffers. The exit code is 1 when an entry fails.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask hostile", bin_name = "cargo xtask hostile")]
pub(crate) struct Cli {
    /// The operator to try [default: ours, built now with the release profile]
    #[arg(long, value_name = "PATH")]
    pub(crate) operator: Option<PathBuf>,
    /// A flag for the operator, such as --operator-flag=--concurrent=50; may be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) operator_flag: Vec<String>,
    /// Only entries or areas with these names
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Show the entries and end
    #[arg(long)]
    pub(crate) list: bool,
    /// Several entries at a time with smaller numbers, for the test command; entries of a round that
    /// fails run again one by one
    #[arg(long)]
    pub(crate) short: bool,
    /// Seconds in which a new healthy object must be ready
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    pub(crate) late: f64,
    /// Most resident memory the operator may have, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 128)]
    pub(crate) memory: u64,
    /// Resident memory at which the operator is killed, as a cluster would, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) kill_at: u64,
    /// Start the operator without leader election, for one that cannot have it outside of a pod
    #[arg(long)]
    pub(crate) no_lease: bool,
    /// Keep the operator's logs, one file a round, in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) logs: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// A table for people
    Table,
    /// One JSON object
    Json,
    /// A line for each failed entry and the number of both, for the test command
    Tally,
}
