//! Drives the harnesses on a stable compiler: a bounded number of seconds for each target, inputs
//! that depend on the seed alone, and every input that fails saved.
//!
//! Each target runs in a process of its own. If that dies without a word, as of an exhausted stack,
//! it is run again with every input written down first.
#![expect(clippy::print_stdout, reason = "a program that reports to a person")]

mod watch;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};
use clap::Parser;
use lockstep_fuzz::mutate::Mutator;
use lockstep_fuzz::seeds;
use lockstep_fuzz::target::Target;

use crate::watch::Watch;

/// As much as a thread of the operator has.
const STACK: usize = 2 << 20;

/// Fuzz what reads input from outside
#[derive(Parser, Clone)]
struct Cli {
    /// What to fuzz; all if none is named
    targets: Vec<Target>,
    /// How long to fuzz each
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// What the inputs depend on; by default the time of day
    #[arg(long)]
    seed: Option<u64>,
    /// The number of the first input
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// At most so many inputs
    #[arg(long, default_value_t = u64::MAX)]
    runs: u64,
    /// Try the input in this file, and nothing else
    #[arg(long)]
    input: Option<PathBuf>,
    /// Write each input to this file before it is tried
    #[arg(long, hide = true)]
    record: Option<PathBuf>,
    /// Fuzz in this process
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    let mut cli = Cli::parse();
    if cli.targets.is_empty() {
        cli.targets = Target::ALL.to_vec();
    }
    let result = match (&cli.input, cli.worker) {
        (Some(file), _) => single(&cli, file),
        (None, true) => cli
            .targets
            .iter()
            .try_for_each(|target| work(&cli, *target)),
        (None, false) => supervise(&cli),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("FAILED: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Tries the input of a file.
fn single(cli: &Cli, file: &Path) -> Result<()> {
    let input = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    for target in &cli.targets {
        target.run(&input);
        println!("{}: ok", target.name());
    }
    Ok(())
}

/// Runs a process for each target and looks after those that die.
fn supervise(cli: &Cli) -> Result<()> {
    let seed = cli.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut failed = Vec::new();
    for target in &cli.targets {
        let worker = || -> Result<Command> {
            let mut command = Command::new(env::current_exe()?);
            command.arg(target.name()).arg("--worker");
            for (name, value) in [
                ("seconds", cli.seconds),
                ("seed", seed),
                ("from", cli.from),
                ("runs", cli.runs),
            ] {
                command.arg(format!("--{name}={value}"));
            }
            Ok(command)
        };
        let status = worker()?.status().context("cannot start a worker")?;
        if status.success() {
            continue;
        }
        failed.push(target.name());
        if status.code().is_none() {
            let file = seeds::failures(*target).join("died");
            fs::create_dir_all(seeds::failures(*target))?;
            println!("{}: died; running again to find the input", target.name());
            worker()?.arg("--record").arg(&file).status()?;
            println!("{}: input saved as {}", target.name(), file.display());
        }
    }
    if !failed.is_empty() {
        bail!("{} (seed {seed})", failed.join(", "));
    }
    Ok(())
}

/// Fuzzes one target in this process.
fn work(cli: &Cli, target: Target) -> Result<()> {
    let seed = cli.seed.unwrap_or_default();
    let seeds = seeds::load(target)?;
    println!(
        "{}: seed {seed}, {} seeds, {} s",
        target.name(),
        seeds.len(),
        cli.seconds
    );
    let watch = Arc::new(Watch::new(target, seed));
    watch.clone().start()?;
    let cli = cli.clone();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        let mutator = Mutator::new(&seeds, target.words());
        let end = Instant::now() + Duration::from_secs(cli.seconds);
        let mut index = cli.from;
        while Instant::now() < end && index - cli.from < cli.runs {
            let input = mutator.input(seed, index);
            if let Some(file) = &cli.record {
                fs::write(file, &input)?;
            }
            watch.run(index, input)?;
            index += 1;
        }
        anyhow::Ok(index - cli.from)
    })?;
    match worker.join() {
        Ok(tried) => println!("{}: {} inputs, none failed", target.name(), tried?),
        Err(_) => bail!("the worker itself panicked"),
    }
    Ok(())
}
