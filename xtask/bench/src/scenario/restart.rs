//! A restart: all objects are in sync, the operator is stopped, one object is created, and the
//! operator is started again. The clock runs from the start of the process to the new Secret. What
//! was in sync must cost no write.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep_testkit::backend::Backend;

use super::{Watches, count, pass};
use crate::figures::{Figure, figure};
use crate::fixture::{self, Fixture, Plan};
use crate::requests::Requests;
use crate::scale::One;
use crate::subject::Subject;

/// In this time an operator without a schedule would have run everything again.
const AFTER: Duration = Duration::from_secs(15);

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let backend = Backend::start(Duration::ZERO)?;
    let plan = Plan::new(one.count, &backend);
    let fixture = Fixture::make(&plan)?;
    let watches = Watches::start(&fixture)?;
    let mut running = subject.start(&fixture)?;
    watches.until_all(&mut running, one.count, one.limit)?;
    let (stopped, _) = running.operator.terminate()?;

    let name = fixture::create(&fixture.admin, &plan, one.count)?;
    let (requests, reads) = (Requests::read(&fixture.admin)?, backend.requests());
    let began = Instant::now();
    let mut running = subject.start(&fixture)?;
    let seen = watches.secrets.one(&name, one.limit)?;
    running.operator.check()?;
    let seen = seen.context("the new Secret did not appear")?;
    pass(&mut running, AFTER, "looking on after the restart")?;
    let requests = Requests::read(&fixture.admin)?.since(&requests);
    let reads = backend.requests() - reads;

    let time = seen.saturating_duration_since(began).as_secs_f64();
    Ok(vec![
        figure("first new object", time, "s").at_most(one.target_for(1_000, 1.0)),
        figure("writes after the restart", count(requests.writes()), ""),
        figure("provider calls after the restart", count(reads), ""),
        figure("stop when idle", stopped.as_secs_f64(), "s"),
    ])
}
