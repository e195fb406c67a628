//! Runs a catalogue of hostile manifests and hostile backends against an operator binary beside
//! healthy tenants, and says what the healthy tenants noticed. Nothing here knows the binary beyond
//! the flags of the original operator, so any drop-in can be tried.

mod answer;
mod backend;
mod catalogue;
mod cli;
mod entry;
mod expand;
mod follow;
mod gzip;
mod lease;
mod round;
mod run;
mod steps;
mod subject;
mod table;
mod tenants;
#[cfg(test)]
mod threats;
mod traces;
mod trial;
mod verdict;

use std::process::ExitCode;

use clap::Parser;
use lockstep_testkit::progress::say;

fn main() -> ExitCode {
    match run::run(&cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
