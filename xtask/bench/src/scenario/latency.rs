//! A new object among many that refresh: every object has a remote key of its own, so that all the
//! reads are really made, and the server takes its time. New objects come at a steady pace, whether
//! or not the ones before are done.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep_testkit::backend::Backend;
use lockstep_testkit::progress::Step;

use super::{Watches, count, ms, pass};
use crate::figures::{Figure, figure};
use crate::fixture::{self, Fixture, Plan};
use crate::report::percentile;
use crate::scale::One;
use crate::subject::Subject;

const ANSWER_TIME: Duration = Duration::from_millis(50);
/// Long enough for the refreshes of all objects to have begun.
const SETTLE: Duration = Duration::from_secs(70);
const SINGLES: u32 = 100;
const PACE: Duration = Duration::from_millis(600);

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let backend = Backend::start(ANSWER_TIME)?;
    let plan = Plan::new(one.count, &backend).every("1m");
    let fixture = Fixture::make(&plan)?;
    let watches = Watches::start(&fixture)?;
    let mut running = subject.start(&fixture)?;
    watches.until_all(&mut running, one.count, one.limit)?;
    pass(&mut running, SETTLE, "until all objects refresh")?;

    let (usage, reads) = (running.usage()?, backend.requests());
    let began = Instant::now();
    let mut step = Step::begin("creating single objects", "1 min");
    let mut created = Vec::new();
    for number in one.count..one.count + SINGLES {
        created.push((
            Instant::now(),
            fixture::create(&fixture.admin, &plan, number)?,
        ));
        running.operator.check()?;
        std::thread::sleep(PACE);
        step.tick(&format!("{} of {SINGLES}", created.len()));
    }
    let minutes = began.elapsed().as_secs_f64() / 60.0;
    let (used, read) = (running.usage()?, backend.requests() - reads);
    let mut times = Vec::new();
    for (at, name) in created {
        let seen = watches.secrets.one(&name, one.limit)?;
        let seen = seen.with_context(|| format!("the Secret of {name} did not appear"))?;
        times.push(seen.saturating_duration_since(at));
    }
    step.done("all have their Secret");
    Ok(vec![
        figure("a new object, p50", ms(percentile(&mut times, 50)), "ms").at_most(100.0),
        figure("a new object, p99", ms(percentile(&mut times, 99)), "ms").at_most(1000.0),
        figure("provider calls a minute", count(read) / minutes, ""),
        figure("calls at once, at most", count(backend.most_at_once()), ""),
        figure(
            "CPU a minute",
            used.cpu.saturating_sub(usage.cpu).as_secs_f64() / minutes,
            "s",
        ),
        figure("peak memory", used.peak_mib(), "MiB"),
    ])
}
