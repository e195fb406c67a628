//! New objects: everything exists before the operator starts; the clock runs from the start of the
//! process to the last Secret. Beside it stands the plain client that does the same three writes.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep_testkit::backend::Backend;

use super::{Watches, count, ms};
use crate::figures::{Figure, figure};
use crate::fixture::{self, Fixture, Plan};
use crate::report::percentile;
use crate::requests::Requests;
use crate::scale::One;
use crate::subject::{Running, Subject};

const SINGLES: u32 = 20;
const SINGLE_LIMIT: Duration = Duration::from_mins(2);

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let backend = Backend::start(Duration::ZERO)?;
    let plan = Plan::new(one.count, &backend);
    let fixture = Fixture::make(&plan)?;
    let watches = Watches::start(&fixture)?;
    let before = Requests::read(&fixture.admin)?;

    let began = Instant::now();
    let mut running = subject.start(&fixture)?;
    let (last_secret, last_ready) = watches.until_all(&mut running, one.count, one.limit)?;
    let usage = running.usage()?;
    let requests = Requests::read(&fixture.admin)?.since(&before);
    let reads = backend.requests();
    let mut times = singles(&fixture, &plan, &mut running, &watches)?;

    let seconds = (last_secret - began).as_secs_f64();
    let target = one.target_for(1_000, 3.0).or(one.target_for(10_000, 25.0));
    let mut figures = vec![figure("all Secrets", seconds, "s").at_most(target)];
    if let Some(raw) = &one.raw {
        let ratio = seconds / raw.secrets_seconds;
        figures.push(figure(
            "plain client, same writes",
            raw.secrets_seconds,
            "s",
        ));
        figures.push(figure("times the plain client", ratio, "").at_most(1.5));
    }
    figures.extend([
        figure("all Ready", (last_ready - began).as_secs_f64(), "s"),
        figure("peak memory, scrapes included", usage.peak_mib(), "MiB")
            .at_most(one.target_for(10_000, 64.0)),
        figure("memory at the end", usage.resident_mib(), "MiB"),
        figure(
            "API requests an object",
            count(requests.of_objects()) / f64::from(one.count),
            "",
        )
        .at_most(3.0),
        figure("API requests, all", count(requests.total()), ""),
        figure("provider calls", count(reads), ""),
        figure("CPU", usage.cpu.as_secs_f64(), "s"),
        figure(
            "a new object, p50 of 20",
            ms(percentile(&mut times, 50)),
            "ms",
        ),
        figure(
            "a new object, p99 of 20",
            ms(percentile(&mut times, 99)),
            "ms",
        ),
    ]);
    Ok(figures)
}

/// Creates single objects, one after the other, and measures the time until each Secret appears.
fn singles(
    fixture: &Fixture,
    plan: &Plan,
    running: &mut Running,
    watches: &Watches,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for number in plan.objects..plan.objects + SINGLES {
        let began = Instant::now();
        let name = fixture::create(&fixture.admin, plan, number)?;
        let seen = watches.secrets.one(&name, SINGLE_LIMIT)?;
        running.operator.check()?;
        let seen =
            seen.with_context(|| format!("the Secret of {name} did not appear within 2 min"))?;
        times.push(seen.saturating_duration_since(began));
    }
    Ok(times)
}
