//! Measures operators on the test control plane: `scale` runs them through scenarios with many
//! objects, `raw` does the same writes with a plain client, so that the ratio of the two says what
//! the operator itself costs, `mem` holds the memory of an object to a recorded figure, `webhook`
//! measures the webhook process, and `weight` the program itself.

mod aws;
mod azure;
mod cli;
mod cloud;
mod figures;
mod fixture;
mod follow;
mod gcp;
mod mem;
mod raw;
mod report;
mod requests;
mod scale;
mod scenario;
mod subject;
mod vault;
mod webhook;
mod weight;

use std::process::ExitCode;

use clap::Parser;
use lockstep_testkit::progress::say;

fn main() -> ExitCode {
    let result = match cli::Cli::parse().command {
        cli::Command::Scale(args) => scale::run(&args),
        cli::Command::Raw(args) => raw::run(&args),
        cli::Command::Mem(args) => mem::run(&args),
        cli::Command::Aws(args) => aws::run(&args),
        cli::Command::Azure(args) => azure::run(&args),
        cli::Command::Gcp(args) => gcp::run(&args),
        cli::Command::Vault(args) => vault::run(&args),
        cli::Command::Webhook(args) => webhook::run(&args),
        cli::Command::Weight(args) => weight::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
