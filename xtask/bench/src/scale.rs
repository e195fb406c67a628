//! `bench scale`: one operator process over many objects that exist before it starts. Only flags that the original has
//! are used, so that any drop-in can be measured and compared on the same machine.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lockstep_testkit::operator::Operator;
use lockstep_testkit::place;
use lockstep_testkit::progress::{Step, say};

use crate::cli::{Output, ScaleArgs};
use crate::fixture::{self, Fixture};
use crate::follow::Follow;
use crate::process::Usage;
use crate::report::{Process, Report, percentile};
use crate::requests::Requests;

const SINGLES: u32 = 20;
const SINGLE_LIMIT: Duration = Duration::from_mins(2);
const LOOK: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &ScaleArgs) -> Result<()> {
    let program = program(args.operator.as_deref())?;
    let count = args.shared.objects;
    let fixture = Fixture::make(count)?;
    let secrets = Follow::secrets(fixture.cluster())?;
    let ready = Follow::ready(fixture.cluster())?;
    let log = tempfile::Builder::new()
        .prefix("lockstep-bench-")
        .suffix(".log")
        .tempfile()?;
    let before = Requests::read(&fixture.admin)?;

    let step = Step::begin(
        format!("running {}", program.display()),
        "2 s a thousand objects for ours",
    );
    let began = Instant::now();
    let kubeconfig = fixture.cluster().operator_kubeconfig();
    let mut operator = Operator::start(&program, &kubeconfig, &[], log.path())?;
    let limit = Duration::from_secs(args.limit);
    let (last_secret, last_ready) =
        until_all(&mut operator, count, limit, step, (&secrets, &ready))?;
    let usage = Usage::of(operator.id())?;
    let requests = Requests::read(&fixture.admin)?.since(&before);
    let provider_calls = provider_calls(&operator.metrics()?);
    let (p50, p99) = singles(&fixture, &mut operator, count, &secrets)?;

    let report = Report {
        kind: "scale",
        operator: program.display().to_string(),
        objects: count,
        secrets_seconds: (last_secret - began).as_secs_f64(),
        ready_seconds: (last_ready - began).as_secs_f64(),
        requests: requests.total(),
        requests_by_verb: requests.0,
        process: Some(Process {
            peak_mib: mib(usage.peak_kib),
            resident_mib: mib(usage.resident_kib),
            cpu_seconds: usage.cpu.as_secs_f64(),
            latency_p50_ms: p50.as_secs_f64() * 1e3,
            latency_p99_ms: p99.as_secs_f64() * 1e3,
            provider_calls,
        }),
    };
    report.print(args.shared.output)?;
    if args.shared.output == Output::Table {
        say(
            "requests include the operator's own lists; watches are counted by the server when they end",
        );
    }
    Ok(())
}

/// Waits for the last Secret and the last Ready; scrapes the metrics once on the way, as a monitor
/// would.
fn until_all(
    operator: &mut Operator,
    count: u32,
    limit: Duration,
    mut step: Step,
    (secrets, ready): (&Follow, &Follow),
) -> Result<(Instant, Instant)> {
    let wanted = usize::try_from(count)?;
    let began = Instant::now();
    let mut scraped = false;
    loop {
        if let Some(last_ready) = ready.all(wanted, LOOK)? {
            let last_secret = secrets.all(wanted, limit)?;
            let last_secret = last_secret.context("all are Ready but Secrets are missing")?;
            if !scraped {
                operator.metrics()?;
            }
            step.done("all objects Ready");
            return Ok((last_secret, last_ready));
        }
        operator.check()?;
        if !scraped && ready.count() >= wanted / 2 {
            operator.metrics()?;
            scraped = true;
        }
        let so_far = format!(
            "{} Secrets, {} Ready of {count}",
            secrets.count(),
            ready.count()
        );
        if began.elapsed() > limit {
            bail!("gave up after {} s: {so_far}", limit.as_secs());
        }
        step.tick(&so_far);
    }
}

/// Creates single objects, one after the other, and measures the time until each Secret appears.
fn singles(
    fixture: &Fixture,
    operator: &mut Operator,
    from: u32,
    secrets: &Follow,
) -> Result<(Duration, Duration)> {
    let mut times = Vec::new();
    for number in from..from + SINGLES {
        let began = Instant::now();
        let name = fixture::create(&fixture.admin, number)?;
        let seen = secrets.one(&name, SINGLE_LIMIT)?;
        operator.check()?;
        let seen =
            seen.with_context(|| format!("the Secret of {name} did not appear within 2 min"))?;
        times.push(seen.saturating_duration_since(began));
    }
    Ok((percentile(&mut times, 50), percentile(&mut times, 99)))
}

/// The sum of the provider-call counter, if the operator has one.
fn provider_calls(metrics: &str) -> Option<u64> {
    let lines = metrics
        .lines()
        .filter(|line| line.starts_with("externalsecret_provider_api_calls_count{"));
    let counts = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    let sum = counts.reduce(|one, other| one + other)?;
    format!("{sum:.0}").parse().ok()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "memory in KiB is far below 2^52"
)]
fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn program(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return path
            .canonicalize()
            .with_context(|| format!("no operator at {}", path.display()));
    }
    say("building our operator with the release profile (several minutes the first time)");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .current_dir(place::workspace())
        .args(["build", "--release", "--package", "lockstep"])
        .status()?;
    if !status.success() {
        bail!("the operator does not build; give another binary with --operator");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(place::workspace().join(target).join("release/lockstep"))
}
