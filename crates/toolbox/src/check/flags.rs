//! Flags of `lockstep check`, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  kubectl get external-secrets -A -o yaml | lockstep check -      every object of the cluster
  kubectl get deployments -n external-secrets -o yaml | lockstep check -      its flags
  helm get values external-secrets -n external-secrets -o yaml > values.yaml
  lockstep check manifests --values values.yaml                 a folder and Helm values

Exit codes: 0 everything is served, 1 something is not, 2 wrong usage or nothing to check.";

/// List what of an installation this build serves, before you switch to it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckFlags {
    /// A folder, a file, or - for standard input, as `kubectl get --output yaml` prints it.
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<String>,

    /// Values of the Helm release, as `helm get values` prints them.
    #[arg(long, value_name = "FILE")]
    pub(super) values: Option<PathBuf>,

    /// Form of the result on standard output.
    #[arg(short, long, value_enum, default_value_t)]
    pub(super) output: Output,
}

/// Form of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// A table for people.
    #[default]
    Table,
    /// One JSON document.
    Json,
}
