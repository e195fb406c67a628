//! The project's own commands, started as `cargo xtask …`. This file only knows which there are;
//! each has a file of its own. What needs a heavy build (CRDs, benchmarks) lies in packages beside
//! this one, so that `--help` is there at once.

mod bench;
mod cases;
mod check;
mod cluster;
mod generate;
mod hostile;
mod new_generator;
mod new_provider;
mod picture;
mod serve;
mod shell;
mod ship;
mod simulate;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lockstep_testkit::progress::say;

use test::tally::Tally;

/// Everything there is to do around this repository.
///
/// Start with `cargo xtask test`: it sets up all test servers and runs every test. Before you hand
/// in a change, `cargo xtask check` is the one gate.
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
    Test(test::Args),
    Cases(cases::Args),
    Check(check::Args),
    Cluster(cluster::Args),
    Generate(generate::Args),
    NewProvider(new_provider::Args),
    NewGenerator(new_generator::Args),
    Bench(bench::Args),
    Serve(serve::Args),
    Simulate(simulate::Args),
    Image(ship::ImageArgs),
    Release(ship::ReleaseArgs),
    Hostile(hostile::Args),
    Picture(picture::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Test(args) => test::run(&args).map(Tally::close),
        Command::Cases(args) => cases::run(&args).map(Tally::close),
        Command::Check(args) => check::run(&args).map(done),
        Command::Cluster(args) => cluster::run(&args).map(done),
        Command::Generate(args) => generate::run(&args).map(done),
        Command::NewProvider(args) => new_provider::run(&args).map(done),
        Command::NewGenerator(args) => new_generator::run(&args).map(done),
        Command::Bench(args) => bench::run(&args).map(done),
        Command::Serve(args) => serve::run(&args).map(done),
        Command::Simulate(args) => simulate::run(&args).map(done),
        Command::Image(args) => ship::image(&args).map(done),
        Command::Release(args) => ship::release(&args).map(done),
        Command::Hostile(args) => hostile::run(&args).map(done),
        Command::Picture(args) => picture::run(&args).map(done),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
