//! Flags of the processes that run in a cluster, with the original operator's names and defaults.

pub(crate) mod controller;
pub(crate) mod unused;
pub(crate) mod webhook;

use clap::CommandFactory;
use lockstep_toolbox::check::KnownFlag;

/// Every flag of the processes in a cluster, whichever of them takes it.
pub(crate) fn known() -> Vec<KnownFlag> {
    let root = crate::cli::Cli::command();
    let processes = ["webhook", "certcontroller"];
    let processes = processes
        .into_iter()
        .filter_map(|name| root.find_subcommand(name));
    let arguments = std::iter::once(&root).chain(processes);
    let arguments = arguments.flat_map(clap::Command::get_arguments);
    let flags = arguments.filter_map(|argument| {
        Some(KnownFlag {
            name: format!("--{}", argument.get_long()?),
            has_effect: argument.get_help_heading() != Some(unused::WITHOUT_EFFECT),
        })
    });
    flags.collect()
}
