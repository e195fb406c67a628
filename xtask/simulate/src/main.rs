//! Drives the program's own scheduler, shared reads and governors through simulated time: a fleet
//! of ExternalSecrets, remote secrets that change, stores that throttle and fail, and restarts. The
//! plan for a fleet is a number then.

mod day;
mod fleet;
mod remote;
mod report;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

/// Simulates a fleet of ExternalSecrets.
#[derive(Parser)]
#[command(name = "cargo xtask simulate", disable_version_flag = true)]
struct Args {
    /// ExternalSecrets
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    objects: u32,
    /// Remote secrets
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    keys: u32,
    /// Stores; each holds an equal share of the remote secrets
    #[arg(long, default_value_t = 20, value_name = "N")]
    stores: u16,
    /// Simulated hours
    #[arg(long, default_value_t = 24, value_name = "N")]
    hours: u32,
    /// Restarts of the process, evenly over the time
    #[arg(long, default_value_t = 2, value_name = "N")]
    restarts: u32,
    /// Seed of all chances: the same seed gives the same day
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    fastrand::seed(args.seed);
    let clock = Instant::now();
    let memory = report::resident();
    let remote = remote::Remote::new(args.keys.max(1), args.stores.max(1), args.hours);
    let fleet = fleet::Fleet::new(args.objects, &remote);
    let world = report::resident();
    let mut day = day::Day::new(fleet, remote);
    day.run(args.hours, args.restarts);
    let figures = report::Figures {
        took: clock.elapsed(),
        bytes: report::resident().saturating_sub(world),
        world_bytes: world.saturating_sub(memory),
        hours: args.hours,
    };
    let text = report::text(&day, &figures);
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
