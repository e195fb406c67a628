//! One round: the operator starts, serves the healthy tenants, goes through a trial with one or more
//! entries, and ends. Everything an entry left is taken away while the operator still runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::scope;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::Cluster;

use crate::backend::Backend;
use crate::entry::Entry;
use crate::expand::Words;
use crate::follow::Follow;
use crate::steps::Work;
use crate::subject::{Start, Subject};
use crate::traces::Traces;
use crate::trial::Trial;
use crate::verdict::Outcome;
use crate::{lease, tenants};

/// How long the operator may take until it serves the healthy tenants, before anything hostile.
const WARM_UP: Duration = Duration::from_secs(90);

/// Everything rounds share.
pub(crate) struct Field<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) api: Api,
    pub(crate) backend: Backend,
    pub(crate) follow: Follow,
    pub(crate) subject: Subject,
    pub(crate) logs: PathBuf,
    pub(crate) length: Length,
    pub(crate) lease: bool,
    /// Words of every entry, such as the address of the API server.
    pub(crate) words: Words,
}

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Full,
}

impl Field<'_> {
    /// Runs entries together; the number tells rounds apart.
    pub(crate) fn round(&self, number: usize, entries: &[&Entry]) -> Result<Outcome> {
        let name = format!("r{number}-");
        let file = entries.first().map_or("none", |entry| &entry.name);
        let how = &Start {
            flags: self.flags(number, entries),
            log: self.logs.join(format!("{number:03}-{file}.log")),
        };
        self.follow.begin(&name);
        let (traces, ended) = (Traces::default(), AtomicBool::new(false));
        let (traces, ended) = (&traces, &ended);
        let operator = self.subject.start(how)?;
        let watching = self.cluster.admin()?;
        scope(|threads| {
            let attending = threads.spawn(|| self.subject.attend(operator, how, traces, ended));
            if self.lease {
                threads.spawn(|| lease::watch(&watching, &lease_name(number), traces, ended));
            }
            let works = entries.iter().map(|entry| self.work(number, entry));
            let works: Vec<_> = works.collect();
            let outcome = self.outcome(&name, &works, traces);
            let left = self.clean_up(&works);
            ended.store(true, Ordering::Relaxed);
            let attended = attending.join();
            attended.map_err(|_| anyhow!("the thread that attends the operator panicked"))??;
            left?;
            outcome
        })
    }

    fn outcome(&self, name: &str, works: &[Work<'_>], traces: &Traces) -> Result<Outcome> {
        let warm = format!("{name}warm");
        tenants::probe(&self.api, 0, &warm, 0)?;
        let warmed = self.follow.ready(&warm, Instant::now() + WARM_UP)?;
        if warmed.is_none() {
            let why = "the operator did not serve the healthy tenants before the trial began";
            return Ok(Outcome {
                broken: vec![why.to_owned()],
                trace: traces.now(),
                ..Outcome::default()
            });
        }
        traces.settle();
        let trial = Trial {
            api: &self.api,
            backend: &self.backend,
            follow: &self.follow,
            length: self.length,
        };
        let mut outcome = trial.run(name, works)?;
        let (fell, lost) = self.follow.end();
        outcome.fell = fell;
        outcome.lost.extend(lost);
        outcome.trace = traces.now();
        Ok(outcome)
    }

    fn work<'a>(&'a self, number: usize, entry: &'a Entry) -> Work<'a> {
        let header = &entry.header;
        let count = match self.length {
            Length::Short => header.short_count.unwrap_or(header.count),
            Length::Full => header.count,
        };
        let mut words = self.words.clone();
        // A namespace of an earlier round may still be on its way out.
        words.insert("NS".to_owned(), format!("h{number}-{}", entry.name));
        words.insert(
            "URL".to_owned(),
            format!("{}/{}", self.backend.url(), entry.name),
        );
        words.insert("COUNT".to_owned(), count.to_string());
        Work {
            api: &self.api,
            backend: &self.backend,
            entry,
            words,
        }
    }

    fn flags(&self, number: usize, entries: &[&Entry]) -> Vec<String> {
        let entry = entries.first();
        let mut flags = entry.map_or_else(Vec::new, |entry| entry.header.flags.clone());
        if self.lease {
            flags.push("--enable-leader-election=true".to_owned());
            flags.push(format!("--leader-election-id={}", lease_name(number)));
        }
        flags
    }

    fn clean_up(&self, works: &[Work<'_>]) -> Result<()> {
        tenants::sweep(&self.api)?;
        scope(|threads| {
            let cleaning: Vec<_> = works
                .iter()
                .map(|work| {
                    self.backend.forget(&format!("/{}/", work.entry.name));
                    threads.spawn(|| work.clean_up())
                })
                .collect();
            for thread in cleaning {
                thread
                    .join()
                    .map_err(|_| anyhow!("a clean-up panicked"))??;
            }
            Ok(())
        })
    }
}

fn lease_name(number: usize) -> String {
    format!("hostile-{number}")
}
