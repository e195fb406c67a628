//! `bench gitops`: how long Flux takes to converge with the layouts that people use, several times
//! over. It runs the tests of those layouts and reads the times that they print.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use clap::Parser;
use lockstep_testkit::progress::say;

use crate::test::gitops;

/// Name of a layout as its test prints it, and the most seconds that its median may take.
const TARGETS: [(&str, f64); 3] = [
    ("one Kustomization", 40.0),
    ("two Kustomizations", 45.0),
    ("chain of three Kustomizations", 75.0),
];
/// What stands between a layout's name and its time.
const SAYS: &str = " converged in ";

/// Measures how long Flux takes with the layouts that people use, chart defaults and pods that run
#[derive(Parser)]
#[command(name = "cargo xtask bench gitops", no_binary_name = true)]
struct Args {
    /// How many times each layout is measured; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

/// Runs with the words after `bench gitops`; an error when a median misses its target.
pub(super) fn run(words: &[String]) -> Result<()> {
    let args = Args::parse_from(words);
    gitops::prepare()?;
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for number in 1..=args.runs {
        say(&format!(
            "run {number} of {}, about three minutes",
            args.runs
        ));
        for (layout, seconds) in once()? {
            times.entry(layout).or_default().push(seconds);
        }
    }
    let mut missed = 0;
    for (layout, most) in TARGETS {
        let mut measured = times.remove(layout).unwrap_or_default();
        let median = median(&mut measured).with_context(|| format!("no time of {layout}"))?;
        let word = if median <= most { "ok" } else { "MISSED" };
        missed += u32::from(median > most);
        say(&format!(
            "{layout:<32} median {median:>5.1} s of {measured:?}, {word}, at most {most} s"
        ));
    }
    if missed > 0 {
        bail!("{missed} layouts miss their target");
    }
    Ok(())
}

/// The times of one run by layout. A test that takes too long fails after it has told its time.
fn once() -> Result<Vec<(String, f64)>> {
    let mut child = gitops::command(&["layout::"])
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start unshare")?;
    let mut found = Vec::new();
    if let Some(out) = child.stderr.take() {
        for line in BufReader::new(out).lines() {
            let line = line?;
            say(&line);
            found.extend(time(&line));
        }
    }
    child.wait()?;
    Ok(found)
}

/// `chain of three Kustomizations converged in 61.6 s` by layout and seconds.
fn time(line: &str) -> Option<(String, f64)> {
    let (before, after) = line.split_once(SAYS)?;
    let (layout, _) = TARGETS.iter().find(|(name, _)| *name == before)?;
    let seconds = after.strip_suffix(" s")?.parse().ok()?;
    Some(((*layout).to_owned(), seconds))
}

fn median(times: &mut [f64]) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_layout_is_read_from_the_line_of_its_test() {
        let line = "chain of three Kustomizations converged in 61.6 s";

        let want = Some(("chain of three Kustomizations".to_owned(), 61.6));
        assert_eq!(time(line), want);
        assert_eq!(time("something else converged in 1.0 s"), None);
    }

    #[test]
    fn the_median_is_the_middle_time() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0]), Some(1.0));
        assert_eq!(median(&mut []), None);
    }
}
