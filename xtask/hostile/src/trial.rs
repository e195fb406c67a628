//! The trial of a round: entries go to work side by side, new objects of healthy tenants are created
//! meanwhile, and afterwards what the entries must not reach is looked at.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use lockstep_testkit::api::Api;
use serde_json::{Value, json};

use crate::backend::Backend;
use crate::entry::Place;
use crate::expand::text_of;
use crate::follow::Follow;
use crate::round::Length;
use crate::steps::Work;
use crate::tenants;
use crate::verdict::Outcome;

/// Time between two new healthy objects.
const PROBE_EVERY: Duration = Duration::from_millis(500);
/// How long late objects are waited for after the trial, so that the table can say how late they were.
const GRACE: Duration = Duration::from_secs(10);
/// How long Secrets that an entry keeps may take to appear.
const APPEAR: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(100);
const SHORT: Duration = Duration::from_secs(4);
const FULL: Duration = Duration::from_secs(6);

/// What a trial needs of its round.
pub(crate) struct Trial<'a> {
    pub(crate) api: &'a Api,
    pub(crate) backend: &'a Backend,
    pub(crate) follow: &'a Follow,
    pub(crate) length: Length,
}

/// What Secrets that must stay were, by path.
type Kept = BTreeMap<String, Value>;

impl Trial<'_> {
    /// Runs the entries and looks at what they reached.
    pub(crate) fn run(&self, name: &str, works: &[Work<'_>]) -> Result<Outcome> {
        for work in works {
            work.answer()?;
        }
        let ended = AtomicBool::new(false);
        let waiting = AtomicUsize::new(works.len());
        scope(|threads| {
            let working: Vec<_> = works
                .iter()
                .map(|work| threads.spawn(|| self.entry(work, &waiting, &ended)))
                .collect();
            let probed = self.probes(name, works, &waiting);
            ended.store(true, Ordering::Relaxed);
            let mut outcome = probed?;
            for (thread, work) in working.into_iter().zip(works) {
                let kept = thread.join().map_err(|_| anyhow!("an entry panicked"))?;
                let found = kept.and_then(|kept| self.check(work, &kept, &mut outcome));
                if let Err(error) = found {
                    outcome
                        .broken
                        .push(format!("{}: {error:#}", work.entry.name));
                }
            }
            Ok(outcome)
        })
    }

    /// Applies an entry and does its steps until the trial ends; gives the Secrets that must stay.
    fn entry(&self, work: &Work<'_>, waiting: &AtomicUsize, ended: &AtomicBool) -> Result<Kept> {
        let applied = work.apply().and_then(|()| self.appear(work));
        waiting.fetch_sub(1, Ordering::Relaxed);
        let kept = applied?;
        scope(|threads| {
            let steps = work.entry.header.steps.iter();
            let running: Vec<_> = steps
                .map(|step| threads.spawn(|| work.step(step, ended)))
                .collect();
            for thread in running {
                thread.join().map_err(|_| anyhow!("a step panicked"))??;
            }
            Ok(kept)
        })
    }

    fn appear(&self, work: &Work<'_>) -> Result<Kept> {
        let until = Instant::now() + APPEAR;
        let mut kept = Kept::new();
        for place in &work.entry.header.keep {
            let path = path_of(work, place)?;
            loop {
                let found = self.api.find(&path)?;
                let whole = |secret: &Value| match &place.key {
                    Some(key) => secret["data"][key].is_string(),
                    None => true,
                };
                if let Some(secret) = found.filter(whole) {
                    kept.insert(path, identity(&secret));
                    break;
                }
                if Instant::now() > until {
                    return Err(anyhow!("{path} did not appear"));
                }
                sleep(POLL);
            }
        }
        Ok(kept)
    }

    /// Creates new healthy objects until the window ends, and waits for those that are late.
    fn probes(&self, name: &str, works: &[Work<'_>], waiting: &AtomicUsize) -> Result<Outcome> {
        let window = self.window(works);
        let mut created = Vec::new();
        let mut applied = None;
        for number in 0.. {
            if waiting.load(Ordering::Relaxed) == 0 {
                applied = applied.or_else(|| Some(Instant::now()));
            }
            if applied.is_some_and(|at| at.elapsed() >= window) {
                break;
            }
            let next = Instant::now() + PROBE_EVERY;
            let probe = format!("{name}{number}");
            created.push((probe.clone(), Instant::now()));
            tenants::probe(self.api, number % tenants::NAMESPACES.len(), &probe, number)?;
            sleep(next.saturating_duration_since(Instant::now()));
        }
        let until = Instant::now() + GRACE;
        let mut outcome = Outcome {
            probes: created.len(),
            ..Outcome::default()
        };
        for (probe, began) in created {
            let ready = self.follow.ready(&probe, until)?;
            let time = ready.map(|ready| ready.saturating_duration_since(began));
            outcome.times.extend(time);
        }
        Ok(outcome)
    }

    fn window(&self, works: &[Work<'_>]) -> Duration {
        if self.length == Length::Short {
            return SHORT;
        }
        let asked = works.iter().filter_map(|work| work.entry.header.seconds);
        asked.map(Duration::from_secs_f64).fold(FULL, Duration::max)
    }

    fn check(&self, work: &Work<'_>, kept: &Kept, outcome: &mut Outcome) -> Result<()> {
        let name = &work.entry.name;
        for (path, was) in kept {
            let now = self.api.find(path)?;
            if now.is_none_or(|secret| identity(&secret) != *was) {
                outcome.lost.insert(path.clone());
            }
        }
        for place in &work.entry.header.absent {
            let path = path_of(work, place)?;
            if self.api.find(&path)?.is_some() {
                outcome.broken.push(format!("{name}: {path} exists"));
            }
        }
        for asked in &work.entry.header.asked {
            let path = if asked.path.starts_with("/shared/") {
                asked.path.clone()
            } else {
                format!("/{name}{}", asked.path)
            };
            let count = self.backend.asked(&path);
            if count > asked.most {
                let most = asked.most;
                let text = format!("{name}: {count} requests for {path}, {most} are allowed");
                outcome.broken.push(text);
            }
        }
        Ok(())
    }
}

/// What tells a Secret from one that was deleted and made again, or changed.
fn identity(secret: &Value) -> Value {
    json!([secret["metadata"]["uid"], secret["data"]])
}

fn path_of(work: &Work<'_>, place: &Place) -> Result<String> {
    let namespace = place.namespace.as_deref().unwrap_or("$NS");
    let path = format!("/api/v1/namespaces/{namespace}/secrets/{}", place.name);
    text_of(&path, &work.words)
}
