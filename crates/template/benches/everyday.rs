//! Times everyday templates here and in Go, in one run: parsing and executing each once.
//!
//! `cargo bench -p lockstep-template` needs `go` for the comparison (see `benches/go`); without it
//! only the times here are printed. Both sides count the time their thread was on a processor, so
//! that other work on the machine counts little. The goal: five times Go's speed as a geometric
//! mean over the templates without cryptography, and no slower than Go with it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a program"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use lockstep_template::{
    Env, Limits, MissingKey, Options, Random, RandomError, StrMap, Template, Value,
};

/// What the program ships with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CASES: &str = include_str!("everyday.jsonl");

struct Fixed;

impl Random for Fixed {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError> {
        buffer.fill(7);
        Ok(())
    }
}

struct Case {
    name: String,
    crypto: bool,
    template: String,
    data: Value,
}

fn cases() -> Vec<Case> {
    let lines = CASES
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines
        .map(|case| Case {
            name: case["name"].as_str().unwrap().to_owned(),
            crypto: case["crypto"].as_bool().unwrap(),
            template: case["template"].as_str().unwrap().to_owned(),
            data: Value::from(
                case["data"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(key, text)| (key.as_str(), text.as_str().unwrap()))
                    .collect::<StrMap>(),
            ),
        })
        .collect()
}

fn round(case: &Case, rounds: u32, parse: bool) -> Duration {
    let options = Options {
        missing_key: MissingKey::Error,
        ..Options::default()
    };
    let env = Env {
        now: jiff::Timestamp::UNIX_EPOCH,
        random: &Fixed,
        limits: Limits::default(),
    };
    let cached = Template::parse(&case.name, &case.template, &options).unwrap();
    let start = busy();
    for _ in 0..rounds {
        let output = if parse {
            let template = Template::parse(&case.name, &case.template, &options).unwrap();
            template.execute(&case.data, &env).unwrap()
        } else {
            cached.execute(&case.data, &env).unwrap()
        };
        std::hint::black_box(output);
    }
    busy().saturating_sub(start)
}

/// How long this thread has been on a processor.
fn busy() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Nanoseconds of one round: the best of many short measurements.
fn measure(case: &Case, parse: bool) -> f64 {
    let mut rounds = 1;
    while round(case, rounds, parse) < Duration::from_millis(15) {
        rounds *= 2;
    }
    let times = (0..25).map(|_| round(case, rounds, parse).as_secs_f64());
    times.fold(f64::INFINITY, f64::min) * 1e9 / f64::from(rounds)
}

/// What the Go program measured, by the name of the case.
fn go_times() -> Option<BTreeMap<String, f64>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/go");
    let mut child = Command::new("go")
        .args(["run", "."])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(CASES.as_bytes()).ok()?;
    let output = child
        .wait_with_output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines()
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).ok()?;
            Some((case["name"].as_str()?.to_owned(), case["nanos"].as_f64()?))
        })
        .collect()
}

fn main() {
    let go = go_times();
    if go.is_none() {
        eprintln!(
            "the Go program did not run (is `go` installed, and can it fetch modules?); \
             printing the times here alone"
        );
    }
    println!(
        "{:<26}{:>12}{:>12}{:>12}{:>9}",
        "template", "here ns", "cached ns", "Go ns", "faster"
    );
    let (mut logs, mut count) = (0.0, 0.0);
    let mut slower = Vec::new();
    for case in cases() {
        let (here, cached) = (measure(&case, true), measure(&case, false));
        let there = go.as_ref().and_then(|go| go.get(&case.name)).copied();
        let ratio = there.map(|there| there / here);
        let shown = |n: Option<f64>, digits| n.map_or("-".to_owned(), |n| format!("{n:.digits$}"));
        println!(
            "{:<26}{here:>12.0}{cached:>12.0}{:>12}{:>8}x",
            case.name,
            shown(there, 0),
            shown(ratio, 1)
        );
        match ratio {
            Some(ratio) if case.crypto && ratio < 1.0 => slower.push(case.name),
            Some(ratio) if !case.crypto => (logs, count) = (logs + ratio.ln(), count + 1.0),
            _ => {}
        }
    }
    if count > 0.0 {
        println!(
            "geometric mean without cryptography: {:.1}x",
            f64::exp(logs / count)
        );
        println!("slower than Go with cryptography: {slower:?}");
    }
}
