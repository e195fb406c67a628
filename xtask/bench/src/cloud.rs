//! What the measurements of clouds share: one refresh interval, and waiting for all objects.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use lockstep_testkit::api::Api;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::progress::Step;

/// Time between two refreshes of an object.
pub(crate) const INTERVAL: Duration = Duration::from_mins(2);
/// Time beside the interval and its jitter in which a refresh is over.
const MOMENT: Duration = Duration::from_secs(5);
const LIMIT: Duration = Duration::from_mins(15);
const LOOK: Duration = Duration::from_millis(500);

/// Waits until every secret was read again once: for the interval, its jitter, and a moment.
pub(crate) fn one_refresh(interval: Duration) {
    let wait = interval + interval / 10 + MOMENT;
    let step = Step::begin("one refresh", &format!("{} s", wait.as_secs()));
    sleep(wait);
    step.done("over");
}

/// Waits until all ExternalSecrets of a namespace are Ready.
pub(crate) fn all_ready(
    api: &Api,
    namespace: &str,
    operator: &mut Operator,
    wanted: usize,
) -> Result<Duration> {
    let mut step = Step::begin("waiting for all objects", "10 s a thousand");
    let began = Instant::now();
    loop {
        let path = format!("/apis/external-secrets.io/v1/namespaces/{namespace}/externalsecrets");
        let list = api.get(&path)?;
        let items = list["items"].as_array().into_iter().flatten();
        let ready = items
            .filter(|one| one["status"]["conditions"][0]["status"] == "True")
            .count();
        if ready == wanted {
            step.done("all objects Ready");
            return Ok(began.elapsed());
        }
        operator.check()?;
        if began.elapsed() > LIMIT {
            bail!("only {ready} of {wanted} objects are Ready");
        }
        step.tick(&format!("{ready} Ready"));
        sleep(LOOK);
    }
}
