//! What is handed out: `image` makes the container image, `release` everything that a release holds. Nothing is published here.

mod compile;
mod image;
mod release;
mod shell;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lockstep_testkit::progress::say;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    disable_version_flag = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Image(image::Args),
    Release(release::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Image(args) => image::run(&args),
        Command::Release(args) => release::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
