//! Subcommands. Which one runs is decided here; what it does is in the module of its name.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::flags::controller::ControllerFlags;

/// Delivers secrets from external stores to Kubernetes. Without a subcommand: the controller.
#[derive(Debug, Parser)]
#[command(name = "lockstep", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    controller: ControllerFlags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the CustomResourceDefinitions, ready for `kubectl apply -f -`.
    Crds(crate::crds::CrdsFlags),
    Local(crate::local::LocalFlags),
    Render(crate::render::RenderFlags),
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Some(Command::Crds(flags)) => crate::crds::run(&flags),
            Some(Command::Local(flags)) => crate::local::run(flags),
            Some(Command::Render(flags)) => crate::render::run(&flags),
            None => run_controller(self.controller),
        }
    }
}

#[cfg(feature = "cluster")]
fn run_controller(flags: ControllerFlags) -> anyhow::Result<ExitCode> {
    crate::controller::run(flags)
}

#[cfg(not(feature = "cluster"))]
fn run_controller(_flags: ControllerFlags) -> anyhow::Result<ExitCode> {
    anyhow::bail!("this build has no controller: build it with the default features")
}
