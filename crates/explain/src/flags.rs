//! Flags of `lockstep explain`, and the help that teaches it.

use clap::Args;
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::output::OutputFlags;

const EXAMPLES: &str = "\
Examples:
  lockstep explain es database -n team-a             why is this Secret not there, or not fresh?
  lockstep explain es database -n team-a --live      read the store now, with the store's identity
  lockstep explain clustersecretstore aws            who uses this store, and does it work?
  lockstep explain ps upload -n team-a -o json       for scripts

The chain of an ExternalSecret: object, store, identity, provider answer, pipeline, template,
target, pods. The first broken link is marked, with what to do about it. Without --live the
answer of the provider is the one the operator last noted. No value is ever printed.

Exit codes: 0 every link holds, 1 a link is broken, 2 wrong usage, 3 no such object.";

/// Show how an object gets its values, where the chain is broken, and what to do about it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainFlags {
    /// externalsecret (es), secretstore (ss), clustersecretstore (css), pushsecret (ps),
    /// clusterexternalsecret (ces), clusterpushsecret (cps), or the kind of a generator.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,

    /// Name of the object.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Read the store now, as the operator would: with the credentials that the store names. A store
    /// that uses the operator's own identity is read so only inside the operator's pod.
    #[arg(long)]
    pub(crate) live: bool,

    /// Controller class of the operator; stores of other classes are not its business.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) controller_class: String,

    #[command(flatten)]
    pub(crate) cluster: ClusterFlags,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}
