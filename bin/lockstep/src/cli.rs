//! Subcommands. Which one runs is decided here; what it does is in the module of its name.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::flags::controller::ControllerFlags;
use crate::flags::webhook::{CertControllerFlags, WebhookFlags};

/// Delivers secrets from external stores to Kubernetes. Without a subcommand: the controller.
#[derive(Debug, Parser)]
#[command(
    name = "lockstep",
    version = crate::version::short(),
    long_version = crate::version::long(),
    args_conflicts_with_subcommands = true
)]
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
    Check(lockstep_toolbox::check::CheckFlags),
    Local(lockstep_local::LocalFlags),
    Render(lockstep_local::render::RenderFlags),
    /// Answer admission reviews of ExternalSecrets and stores.
    Webhook(Box<WebhookFlags>),
    /// Create and renew the webhook's certificate in a separate process; not needed by default.
    Certcontroller(Box<CertControllerFlags>),
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Some(Command::Crds(flags)) => crate::crds::run(&flags),
            Some(Command::Check(flags)) => {
                lockstep_toolbox::check::run(&flags, &crate::flags::known())
            }
            Some(Command::Local(flags)) => lockstep_local::run(flags, crate::environment::local()),
            Some(Command::Render(flags)) => lockstep_local::render::run(&flags),
            #[cfg(feature = "cluster")]
            Some(Command::Webhook(flags)) => crate::webhook::run(*flags),
            #[cfg(feature = "cluster")]
            Some(Command::Certcontroller(flags)) => crate::certcontroller::run(*flags),
            #[cfg(feature = "cluster")]
            None => crate::controller::run(self.controller),
            #[cfg(not(feature = "cluster"))]
            _ => anyhow::bail!(
                "this build has local mode only; build it with the default features to run in a cluster"
            ),
        }
    }
}
