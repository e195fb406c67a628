//! What a run leaves behind: status, events, the next wake-up. Its only input beside the
//! observation is what was really applied, so nothing can be called synced that was not written.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_api::conditions::Condition;
use lockstep_api::{ExternalSecretStatus, messages, reasons};
use lockstep_provider_api::error::Retry;

use super::status::{self, Change};
use super::{Observed, SyncOutcome};
use crate::conditions::{failure_message, ready};
use crate::event::EventNote;
use crate::failure::Failure;
use crate::manifest_target::ObjectRef;
use crate::next_run::NextRun;
use crate::patience::store_may_come;
use crate::refresh;
use crate::settings::Settings;

/// Time after which an object whose manifest must change is tried again all the same.
const RECHECK: Duration = Duration::from_mins(7);

/// What was applied; made by the step that applies a plan, and by nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// What became of the target.
    pub target: TargetOutcome,
    /// Number of former targets deleted.
    pub orphans_deleted: usize,
    /// Events of the plan.
    pub events: Vec<EventNote>,
    /// When the first of the credentials that generators made ends.
    pub expires: Option<Timestamp>,
}

impl Applied {
    /// A target that was handled.
    pub fn target(target: TargetOutcome) -> Self {
        Self {
            target,
            orphans_deleted: 0,
            events: Vec::new(),
            expires: None,
        }
    }

    /// A run that failed before or while it applied anything.
    pub fn failed(failure: Failure) -> Self {
        Self::target(TargetOutcome::Failed(failure))
    }
}

/// What became of the target.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetOutcome {
    /// It was left alone on purpose.
    Kept(Kept),
    /// It was as wished: no write.
    Unchanged,
    /// It was made.
    Created,
    /// It was changed.
    Updated,
    /// It was deleted because the provider has no data.
    Deleted,
    /// It was to be deleted and was already gone.
    Gone,
    /// It does not exist and is not ours to make.
    Missing,
    /// Someone else wrote at the same time: run again.
    Conflict,
    /// It is to be deleted once the absence of its remote secrets is seen again at this time.
    Postponed(Timestamp),
    /// It could not be handled.
    Failed(Failure),
}

impl TargetOutcome {
    /// Whether what was fetched is in use now, or was asked for without a target.
    pub fn is_in_use(&self) -> bool {
        match self {
            Self::Kept(_) | Self::Unchanged | Self::Created | Self::Updated => true,
            Self::Deleted
            | Self::Gone
            | Self::Missing
            | Self::Conflict
            | Self::Postponed(_)
            | Self::Failed(_) => false,
        }
    }
}

/// Why a target was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// `creationPolicy: None`.
    NotWanted,
    /// No data, and `deletionPolicy: Retain`.
    Retained,
}

/// The outcome of a run for everyone outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Status to write; `None` when nothing but time changed and no note is due.
    pub status: Option<ExternalSecretStatus>,
    /// Events to record.
    pub events: Vec<EventNote>,
    /// How the reconcile ended.
    pub outcome: SyncOutcome,
}

impl From<SyncOutcome> for Report {
    fn from(outcome: SyncOutcome) -> Self {
        Self {
            status: None,
            events: Vec::new(),
            outcome,
        }
    }
}

/// Reports a run that had nothing to do, with the status to write all the same.
pub fn report_idle(
    observed: &Observed<'_>,
    status: Option<Box<ExternalSecretStatus>>,
    (until, awaits_target): (Option<Timestamp>, bool),
) -> Report {
    let noted = |at| status::note_at(&observed.object, status.as_deref(), at);
    let outcome = SyncOutcome {
        awaits_target,
        note_at: observed.last_refresh.and_then(noted),
        ..SyncOutcome::next(until.map_or(NextRun::OnChange, NextRun::At))
    };
    Report {
        status: status.map(|status| *status),
        ..outcome.into()
    }
}

/// Turns what was applied into a report. `now` is the start of the run.
pub fn report(
    observed: &Observed<'_>,
    applied: Applied,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let Applied {
        target,
        orphans_deleted,
        events: planned,
        expires,
    } = applied;
    let orphan = EventNote::normal(reasons::EVENT_DELETED, messages::EVENT_ORPHAN_DELETED);
    let mut events = vec![orphan; orphans_deleted];
    let outcome = match target {
        TargetOutcome::Failed(failure) => {
            let failure = if planned.is_empty() {
                failure
            } else {
                failure.after(planned)
            };
            return failed(observed, failure, events, settings, now);
        }
        TargetOutcome::Conflict => return condition_not_written(events, NextRun::Backoff),
        TargetOutcome::Postponed(at) => return condition_not_written(events, NextRun::At(at)),
        other => other,
    };
    let manifest = manifest_target(observed, settings);
    events.extend(event(&outcome, manifest.as_ref()));
    let change = Change {
        condition: condition(&outcome, manifest.is_some()),
        done: true,
        binds: manifest.is_none() && binds(&outcome),
        last_refresh: None,
        renew_at: expires.and_then(|expires| refresh::renewal(expires, now)),
    };
    let renew_at = change.renew_at;
    let status = status::after(&observed.object, change, settings, now);
    // A secret that stays missing at the provider is said once, not at every refresh.
    if status.write.is_some() || !events.is_empty() {
        events.extend(planned);
    }
    Report {
        outcome: SyncOutcome {
            refreshed: Some(now),
            note_at: status::note_at(&observed.object, status.write.as_ref(), now),
            awaits_target: outcome == TargetOutcome::Missing,
            condition_changed: status.condition_changed,
            ..SyncOutcome::next(next_refresh(observed, renew_at, now))
        },
        status: status.write,
        events,
    }
}

fn failed(
    observed: &Observed<'_>,
    failure: Failure,
    mut events: Vec<EventNote>,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let object = &observed.object;
    let conditions = object.status.as_ref().map(|status| &*status.conditions);
    let told = conditions.unwrap_or_default();
    if let Some(at) = store_may_come(&object.metadata, told, &failure, settings, now) {
        return condition_not_written(events, NextRun::At(at));
    }
    let message = failure_message(told, &failure);
    let manifest = manifest_target(observed, settings).is_some();
    let reason = if manifest {
        reasons::RESOURCE_SYNCED_ERROR
    } else {
        reasons::SECRET_SYNCED_ERROR
    };
    let change = Change {
        condition: ready(false, reason, message),
        done: false,
        binds: !manifest && failure.touched_target(),
        last_refresh: refresh::last_refresh(&observed.object, observed.last_refresh),
        renew_at: None,
    };
    let status = status::after(&observed.object, change, settings, now);
    if status.write.is_some() {
        events.extend(failure.notes().iter().cloned());
    }
    // Waiting for a store is no second failure: the event about the first one has said why.
    if status.condition_changed || !failure.is_unasked() {
        let reason = reasons::EVENT_UPDATE_FAILED;
        events.push(EventNote::warning(reason, failure.event()));
    }
    Report {
        status: status.write,
        events,
        outcome: SyncOutcome {
            condition_changed: status.condition_changed,
            ..SyncOutcome::next(next_try(&failure))
        }
        .failed(failure),
    }
}

/// A run that decided nothing and is repeated.
fn condition_not_written(events: Vec<EventNote>, next: NextRun) -> Report {
    Report {
        events,
        ..SyncOutcome::next(next).into()
    }
}

/// The target, where it is no Secret and such are allowed.
fn manifest_target(observed: &Observed<'_>, settings: &Settings) -> Option<ObjectRef> {
    ObjectRef::of(&observed.object).filter(|_| settings.generic_targets)
}

fn condition(outcome: &TargetOutcome, manifest: bool) -> Condition {
    let (secret, resource, message) = match outcome {
        TargetOutcome::Kept(Kept::Retained) => (
            reasons::SECRET_SYNCED,
            reasons::RESOURCE_SYNCED,
            messages::SECRET_RETAINED,
        ),
        TargetOutcome::Deleted | TargetOutcome::Gone => (
            reasons::SECRET_DELETED,
            reasons::RESOURCE_DELETED,
            messages::SECRET_DELETED,
        ),
        TargetOutcome::Missing if manifest => (
            reasons::SECRET_MISSING,
            reasons::RESOURCE_MISSING,
            messages::RESOURCE_MISSING,
        ),
        TargetOutcome::Missing => (
            reasons::SECRET_MISSING,
            reasons::RESOURCE_MISSING,
            messages::SECRET_MISSING,
        ),
        _ => (
            reasons::SECRET_SYNCED,
            reasons::RESOURCE_SYNCED,
            messages::SECRET_SYNCED,
        ),
    };
    ready(true, if manifest { resource } else { secret }, message)
}

fn event(outcome: &TargetOutcome, manifest: Option<&ObjectRef>) -> Option<EventNote> {
    let (reason, message) = match outcome {
        TargetOutcome::Created => (reasons::EVENT_CREATED, messages::EVENT_CREATED),
        TargetOutcome::Updated => (reasons::EVENT_UPDATED, messages::EVENT_UPDATED),
        TargetOutcome::Deleted => (reasons::EVENT_DELETED, messages::SECRET_DELETED),
        _ => return None,
    };
    Some(match manifest {
        None => EventNote::normal(reason, message),
        Some(target) => {
            let ObjectRef { kind, name, .. } = target;
            EventNote::normal(reason, format!("{reason} {kind} {name}"))
        }
    })
}

/// Whether `status.binding` names the target.
fn binds(outcome: &TargetOutcome) -> bool {
    use TargetOutcome::{Created, Unchanged, Updated};
    matches!(outcome, Created | Unchanged | Updated)
}

fn next_refresh(observed: &Observed<'_>, renew_at: Option<Timestamp>, now: Timestamp) -> NextRun {
    let interval = refresh::interval(&observed.object).unwrap_or_default();
    let next = refresh::next(&observed.object, now, interval, observed.jitter);
    let next = next.map(|next| renew_at.map_or(next, |renewal| next.min(renewal)));
    next.map_or(NextRun::OnChange, NextRun::At)
}

/// When a failure is tried again.
pub(crate) fn next_try(failure: &Failure) -> NextRun {
    match failure.retry() {
        Retry::OnChange => NextRun::After(RECHECK),
        Retry::Breaker => NextRun::Breaker,
        Retry::WhenTold => failure
            .retry_after()
            .map_or(NextRun::Backoff, NextRun::After),
        // The object is not ready: it is tried again sooner than at its next refresh.
        Retry::NextRefresh | Retry::Slow | Retry::Reconnect => NextRun::Backoff,
    }
}
