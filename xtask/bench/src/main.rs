//! Measures operators on the test control plane: `scale` runs one over many objects, `raw` does the
//! same writes with a plain client, so that the ratio of the two says what the operator itself
//! costs.

mod cli;
mod fixture;
mod follow;
mod process;
mod raw;
mod report;
mod requests;
mod scale;

use std::process::ExitCode;

use clap::Parser;
use lockstep_testkit::progress::say;

fn main() -> ExitCode {
    let result = match cli::Cli::parse().command {
        cli::Command::Scale(args) => scale::run(&args),
        cli::Command::Raw(args) => raw::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
