//! Subcommands. Which one runs is decided here; what it does is in the module of its name.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

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
    Backends(Box<lockstep_backends::BackendsFlags>),
    Check(lockstep_toolbox::check::CheckFlags),
    Completions(crate::manual::CompletionsFlags),
    #[cfg(feature = "cluster")]
    Explain(Box<lockstep_explain::ExplainFlags>),
    Get(lockstep_deliver::GetFlags),
    Local(lockstep_local::LocalFlags),
    Man(crate::manual::ManFlags),
    #[cfg(feature = "cluster")]
    Handback(Box<lockstep_takeover::handback::HandbackFlags>),
    #[cfg(feature = "cluster")]
    Plan(Box<lockstep_preview::plan::PlanFlags>),
    #[cfg(feature = "cluster")]
    Shadow(Box<lockstep_preview::shadow::ShadowFlags>),
    #[cfg(feature = "cluster")]
    Takeover(Box<lockstep_takeover::takeover::TakeoverFlags>),
    Render(lockstep_local::render::RenderFlags),
    #[cfg(feature = "cluster")]
    Top(Box<lockstep_top::TopFlags>),
    Run(lockstep_deliver::RunFlags),
    /// Answer admission reviews of ExternalSecrets and stores.
    Webhook(Box<WebhookFlags>),
    /// Create and renew the webhook's certificate in a separate process; not needed by default.
    Certcontroller(Box<CertControllerFlags>),
}

impl Cli {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Some(Command::Crds(flags)) => crate::crds::run(&flags),
            Some(Command::Backends(flags)) => {
                lockstep_backends::run(*flags, crate::environment::backends())
            }
            Some(Command::Check(flags)) => {
                lockstep_toolbox::check::run(&flags, &crate::flags::known())
            }
            Some(Command::Completions(flags)) => Ok(crate::manual::completions(
                &flags,
                <Self as CommandFactory>::command(),
            )),
            #[cfg(feature = "cluster")]
            Some(Command::Explain(flags)) => {
                lockstep_explain::run(*flags, crate::environment::explain())
            }
            Some(Command::Man(flags)) => {
                crate::manual::man(&flags, <Self as CommandFactory>::command())
            }
            #[cfg(feature = "cluster")]
            Some(Command::Top(flags)) => lockstep_top::run(
                &flags,
                &crate::environment::proxy(),
                crate::environment::screen(),
            ),
            #[cfg(feature = "cluster")]
            Some(Command::Handback(flags)) => lockstep_takeover::handback::run(
                &flags,
                &crate::environment::preview(),
                crate::environment::screen(),
            ),
            #[cfg(feature = "cluster")]
            Some(Command::Plan(flags)) => lockstep_preview::plan::run(
                &flags,
                crate::environment::preview(),
                crate::environment::screen(),
            ),
            #[cfg(feature = "cluster")]
            Some(Command::Shadow(flags)) => lockstep_preview::shadow::run(
                &flags,
                crate::environment::preview(),
                crate::environment::screen(),
            ),
            #[cfg(feature = "cluster")]
            Some(Command::Takeover(flags)) => lockstep_takeover::takeover::run(
                &flags,
                crate::environment::preview(),
                crate::environment::screen(),
            ),
            Some(Command::Local(flags)) => lockstep_local::run(flags, crate::environment::local()),
            Some(Command::Render(flags)) => lockstep_local::render::run(&flags),
            Some(Command::Get(flags)) => {
                lockstep_deliver::get(&flags, crate::environment::deliver())
            }
            Some(Command::Run(flags)) => {
                lockstep_deliver::run(&flags, crate::environment::deliver())
            }
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
