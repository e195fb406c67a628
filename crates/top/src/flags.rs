//! Flags of `lockstep top`, and the help that teaches it.

use clap::Args;
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::output::OutputFlags;

const EXAMPLES: &str = "\
Examples:
  lockstep top -A                     every namespace, the worst first
  lockstep top -n team-a              one namespace
  lockstep top -A --once              one table, for a log or a ticket
  lockstep top -A -o json             for scripts

Keys: ↑ ↓ or k j select, tab objects or stores, f filter (all, failing, stale, throttled),
o order (trouble, cost, due, name), / search, enter explain, s sync now (annotation force-sync),
r read everything again, q quit.

Exit codes with --once or JSON: 0 everything is ready and fresh, 1 something is not.";

/// Watch stores and objects: what fails, is stale or throttled, costs most, and is due next.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TopFlags {
    /// All namespaces.
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub(crate) all_namespaces: bool,

    /// Print one table and exit; so does a standard output that is no terminal.
    #[arg(long)]
    pub(crate) once: bool,

    #[command(flatten)]
    pub(crate) cluster: ClusterFlags,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}
