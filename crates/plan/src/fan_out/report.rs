//! What the status says after a run, whether it is worth a write, and when to look again.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::fan_out::FailedNamespace;
use lockstep_api::reasons;
use lockstep_golang::duration::Duration as GoDuration;
use serde_json::Value;

use super::{Namespaces, Parent};
use crate::event::EventNote;
use crate::next_run::NextRun;
use crate::refresh::interval_of;
use crate::settings::Settings;
use crate::status_patch::merge_patch;

/// Where the namespaces themselves could not be told.
const UNKNOWN: &str = "unknown";

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// The namespace has its child.
    Kept,
    /// Nothing is left of ours there.
    Left,
    /// It did not work.
    Failed(Trouble),
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Only somebody else can correct it; a change will requeue it.
    Refused(String),
    /// Trying again may help.
    Failed(String),
}

/// What follows from a run.
#[derive(Debug)]
pub struct Report<S> {
    /// The status to write; `None` when nothing changed.
    pub status: Option<S>,
    /// Events to record.
    pub events: Vec<EventNote>,
    /// Whether all namespaces have their child.
    pub ready: bool,
    /// When to run again.
    pub next: NextRun,
}

/// Reports how the tasks of the namespaces ended.
pub fn report<P: Parent>(
    object: &P,
    outcomes: BTreeMap<String, TaskOutcome>,
    settings: &Settings,
    now: Timestamp,
) -> Report<P::Status> {
    let (mut said, mut retry) = (Namespaces::default(), false);
    for (namespace, outcome) in outcomes {
        match outcome {
            TaskOutcome::Left => {}
            TaskOutcome::Kept => said.provisioned.push(namespace),
            TaskOutcome::Failed(trouble) => {
                retry |= matches!(trouble, Trouble::Failed(_));
                let (Trouble::Refused(reason) | Trouble::Failed(reason)) = trouble;
                let reason = Some(reason);
                said.failed.push(FailedNamespace { namespace, reason });
            }
        }
    }
    let next = if retry {
        NextRun::Backoff
    } else {
        look_again(object, now)
    };
    concluded(object, said, settings, next)
}

/// Reports that the wanted namespaces cannot be told. Children stay as they are.
pub fn refused<P: Parent>(object: &P, reason: String, settings: &Settings) -> Report<P::Status> {
    let known = object.status();
    let event = EventNote::warning(reasons::EVENT_INVALID_SELECTOR, reason.clone());
    let said = Namespaces {
        failed: vec![FailedNamespace {
            namespace: UNKNOWN.to_owned(),
            reason: Some(reason),
        }],
        provisioned: known.map_or_else(Vec::new, |status| P::provisioned(status).to_vec()),
        unknown: true,
    };
    let mut report = concluded(object, said, settings, NextRun::OnChange);
    report
        .events
        .extend(report.status.is_some().then_some(event));
    report
}

fn concluded<P: Parent>(
    object: &P,
    said: Namespaces,
    settings: &Settings,
    next: NextRun,
) -> Report<P::Status> {
    let old = object.status().cloned().unwrap_or_default();
    let ready = said.failed.is_empty();
    let generation = object.metadata().generation;
    let generation = generation.filter(|_| settings.observed_generation);
    // A generation noted for the first time is no news by itself, so that taking over from another
    // operator writes nothing.
    let noted = generation.filter(|_| P::observed_generation(&old).is_some());
    let is_news = old != object.new_status(said.clone(), noted);
    Report {
        status: is_news.then(|| object.new_status(said, generation)),
        events: Vec::new(),
        ready,
        next,
    }
}

/// The next look at everything. Watches deliver changes; this covers what they miss.
fn look_again<P: Parent>(object: &P, now: Timestamp) -> NextRun {
    let interval = interval_of(object.refresh_time()).or_else(|_| interval_of(None));
    let interval = interval.ok().and_then(GoDuration::to_std);
    match interval.filter(|interval| !interval.is_zero()) {
        Some(interval) => now
            .checked_add(interval)
            .map_or(NextRun::OnChange, NextRun::At),
        None => NextRun::OnChange,
    }
}

/// The JSON merge patch that turns one status into another.
pub fn status_patch<S: serde::Serialize>(old: Option<&S>, new: &S) -> Value {
    merge_patch(old, new)
}
