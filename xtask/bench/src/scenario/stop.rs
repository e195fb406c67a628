//! A stop under a full queue: a tenth of the objects is done when the signal comes. Afterwards no
//! object may be half written: a Secret without its status, or a status without its Secret.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::backend::Backend;
use lockstep_testkit::manifest;
use lockstep_testkit::progress::Step;
use serde_json::Value;

use super::{Watches, count};
use crate::figures::{Figure, figure};
use crate::fixture::{Fixture, Plan};
use crate::follow::is_ready;
use crate::scale::One;
use crate::subject::Subject;

const ANSWER_TIME: Duration = Duration::from_millis(50);
const LOOK: Duration = Duration::from_millis(20);

pub(crate) fn run(one: &One, subject: &Subject) -> Result<Vec<Figure>> {
    let backend = Backend::start(ANSWER_TIME)?;
    let plan = Plan::new(one.count, &backend);
    let fixture = Fixture::make(&plan)?;
    let watches = Watches::start(&fixture)?;
    let mut running = subject.start(&fixture)?;
    let mut step = Step::begin("until a tenth is done", "5 s");
    let wanted = usize::try_from(one.count / 10)?;
    let began = Instant::now();
    while watches.ready.all(wanted, LOOK)?.is_none() {
        running.operator.check()?;
        if began.elapsed() > one.limit {
            bail!("gave up after {} s", one.limit.as_secs());
        }
        step.tick(&format!("{} Ready", watches.ready.count()));
    }
    let (time, status) = running.operator.terminate()?;
    step.done("stopped");

    let secrets = names(&fixture.admin, "/api/v1/secrets", |_| true)?;
    let objects = "/apis/external-secrets.io/v1/externalsecrets";
    let ready = names(&fixture.admin, objects, is_ready)?;
    let touched = names(&fixture.admin, objects, has_finalizer)?;
    let half = secrets.symmetric_difference(&ready).count();
    let empty = touched.difference(&secrets).count();
    Ok(vec![
        figure("stop", time.as_secs_f64(), "s").at_most(2.0),
        figure("exit status", f64::from(status.code().unwrap_or(-1)), "").at_most(0.0),
        figure("objects done", count(u64::try_from(ready.len())?), ""),
        figure("half written", count(u64::try_from(half)?), "").at_most(0.0),
        figure("begun, nothing written", count(u64::try_from(empty)?), ""),
    ])
}

/// Names of the benchmark's objects in a list that fulfil a condition.
fn names(admin: &Api, path: &str, counts: fn(&Value) -> bool) -> Result<BTreeSet<String>> {
    let list = admin.get(path)?;
    let items = list["items"].as_array().context("the list has no items")?;
    let ours = items.iter().filter(|item| {
        manifest::text(item, "/metadata/namespace").starts_with("bench-") && counts(item)
    });
    Ok(ours
        .map(|item| manifest::text(item, "/metadata/name").to_owned())
        .collect())
}

fn has_finalizer(object: &Value) -> bool {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|finalizers| !finalizers.is_empty())
}
