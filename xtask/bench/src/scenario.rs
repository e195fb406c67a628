//! The scenarios, one file each, and what they share: waiting until all objects are there.

pub(crate) mod fan_out;
pub(crate) mod idle;
pub(crate) mod latency;
pub(crate) mod push;
pub(crate) mod restart;
pub(crate) mod stop;
pub(crate) mod sync;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lockstep_testkit::progress::Step;

use crate::fixture::Fixture;
use crate::follow::Follow;
use crate::subject::Running;

const LOOK: Duration = Duration::from_millis(200);

/// Both watches of a cluster.
pub(crate) struct Watches {
    pub(crate) secrets: Follow,
    pub(crate) ready: Follow,
}

impl Watches {
    /// Begins to watch.
    pub(crate) fn start(fixture: &Fixture) -> Result<Self> {
        Ok(Self {
            secrets: Follow::secrets(fixture.cluster())?,
            ready: Follow::ready(fixture.cluster())?,
        })
    }

    /// Waits for the last Secret and the last Ready; scrapes the metrics on the way and at the end, as
    /// a monitor would.
    pub(crate) fn until_all(
        &self,
        running: &mut Running,
        count: u32,
        limit: Duration,
    ) -> Result<(Instant, Instant)> {
        let mut step = Step::begin("waiting for all objects", "2 s a thousand for ours");
        let wanted = usize::try_from(count)?;
        let began = Instant::now();
        let mut scraped = false;
        loop {
            if let Some(last_ready) = self.ready.all(wanted, LOOK)? {
                let last_secret = self.secrets.all(wanted, limit)?;
                let last_secret = last_secret.context("all are Ready but Secrets are missing")?;
                running.operator.metrics()?;
                step.done("all objects Ready");
                return Ok((last_secret, last_ready));
            }
            running.operator.check()?;
            if !scraped && self.ready.count() >= wanted / 2 {
                running.operator.metrics()?;
                scraped = true;
            }
            let so_far = format!(
                "{} Secrets, {} Ready of {count}",
                self.secrets.count(),
                self.ready.count()
            );
            if began.elapsed() > limit {
                bail!("gave up after {} s: {so_far}", limit.as_secs());
            }
            step.tick(&so_far);
        }
    }
}

/// Lets the operator be for a time, and says so.
pub(crate) fn pass(running: &mut Running, time: Duration, what: &str) -> Result<()> {
    let mut step = Step::begin(what, &format!("{} s", time.as_secs()));
    let until = Instant::now() + time;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            step.done("done");
            return Ok(());
        }
        std::thread::sleep(left.min(Duration::from_secs(1)));
        running.operator.check()?;
        step.tick(&format!("{} s left", left.as_secs()));
    }
}

/// Milliseconds, for figures.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A count as a figure.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of a benchmark are far below 2^52"
)]
pub(crate) fn count(number: u64) -> f64 {
    number as f64
}
