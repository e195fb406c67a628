//! Flags of `lockstep plan`.

use std::path::PathBuf;

use clap::Args;
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::output::OutputFlags;

use crate::OperatorFlags;

/// Show what applying manifests would do to Secrets and to stores, and change nothing.
///
/// Reads the manifests, lays them over what is in the cluster, and runs the operator's own reconcile over
/// the result. Everything it would write is printed: keys, lengths and hashes that are salted for this run,
/// never values. Values are read from the stores; generators are not run, and nothing is pushed.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lockstep plan -f manifests/
  kustomize build overlays/prod | lockstep plan -f -
  helm template app ./chart | lockstep plan -f - --namespace app --exit-code
  flux build kustomization apps --path ./apps | lockstep plan -f - --output json
  lockstep plan -f new/ --against old/        # no cluster: a folder stands for it

Exit codes: 0 fine, 1 a failure, or with --exit-code any change, 2 wrong usage or manifests that cannot be \
read, 3 not found, 4 refused")]
pub struct PlanFlags {
    /// A folder or file of manifests, or `-` for standard input.
    #[arg(short, long, value_name = "DIR|FILE|-", required = true)]
    pub filename: Vec<String>,

    /// A folder of manifests and Secrets that stands for the cluster, as `lockstep local` reads it.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context"])]
    pub against: Option<PathBuf>,

    /// Count objects of the cluster as deleted that carry these labels and are not in the input, as GitOps
    /// tools prune: `kustomize.toolkit.fluxcd.io/name=apps`.
    #[arg(long, value_name = "LABEL=VALUE")]
    pub prune: Option<String>,

    /// Fetch every object of the input as if it were due, so that values that changed at the stores show.
    #[arg(long)]
    pub refresh: bool,

    /// Exit with 1 when anything would change, as `git diff --exit-code` does.
    #[arg(long)]
    pub exit_code: bool,

    #[command(flatten)]
    pub operator: OperatorFlags,

    #[command(flatten)]
    pub cluster: ClusterFlags,

    #[command(flatten)]
    pub output: OutputFlags,
}
