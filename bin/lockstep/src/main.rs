//! The `lockstep` binary: parses flags, wires the edges together and hands over. Started without a
//! subcommand it is the controller, as the Deployments of the original operator start theirs.

mod cli;
mod crds;
mod environment;
mod flags;
mod manual;
mod plugin;
mod usage;
mod values;
mod version;

#[cfg(feature = "cluster")]
mod certcontroller;
#[cfg(feature = "cluster")]
mod controller;
#[cfg(feature = "cluster")]
mod endpoints;
#[cfg(feature = "cluster")]
mod leadership;
#[cfg(feature = "cluster")]
mod webhook;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = plugin::named(cli::Cli::command(), std::env::args_os().next());
    let matches = values::go_switches(command).get_matches();
    let cli = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match cli.run() {
        Ok(code) => code,
        Err(error) => {
            report(&error);
            usage::exit_code(&error)
        }
    }
}

/// The one place where an error leaves the program.
#[expect(clippy::print_stderr, reason = "the command line's own error output")]
fn report(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}
