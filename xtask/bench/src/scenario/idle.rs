//! A minute in which nothing changes: three keys an object, the same three remote keys for all,
//! refreshed every minute. What it costs is what a quiet cluster costs for ever.

use std::time::Duration;

use anyhow::Result;
use lockstep_testkit::backend::Backend;
use lockstep_testkit::progress::say;

use super::{Watches, count, pass};
use crate::figures::{Figure, figure};
use crate::fixture::{Fixture, Plan};
use crate::requests::Requests;
use crate::scale::One;
use crate::subject::Subject;

/// Long enough for every object to have been refreshed once.
const SETTLE: Duration = Duration::from_secs(75);
const MINUTE: Duration = Duration::from_mins(1);

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let backend = Backend::start(Duration::ZERO)?;
    let plan = Plan::new(one.count, &backend)
        .every("1m")
        .sharing(&["a", "b", "c"]);
    let fixture = Fixture::make(&plan)?;
    let watches = Watches::start(&fixture)?;
    let mut running = subject.start(&fixture)?;
    watches.until_all(&mut running, one.count, one.limit)?;
    let first = backend.requests();
    pass(&mut running, SETTLE, "until all objects refresh")?;

    let requests = Requests::read(&fixture.admin)?;
    let (usage, reads) = (running.usage()?, backend.requests());
    pass(&mut running, MINUTE, "one idle minute")?;
    let used = running.usage()?;
    let reads = backend.requests() - reads;
    let requests = Requests::read(&fixture.admin)?.since(&requests);
    say(&format!("API requests of the minute: {requests}"));

    Ok(vec![
        figure("provider calls", count(reads), "").at_most(one.target_for(1_000, 10.0)),
        figure("API requests", count(requests.total()), "").at_most(one.target_for(1_000, 120.0)),
        figure("CPU", used.cpu.saturating_sub(usage.cpu).as_secs_f64(), "s")
            .at_most(one.target_for(1_000, 0.3)),
        figure("provider calls of the first sync", count(first), ""),
        figure("memory", used.resident_mib(), "MiB"),
    ])
}
