//! What a run leaves behind: the Ready condition, the record of pushed secrets, events, and the next
//! wake-up. An event is recorded for every failure, and for a success only when something changed.

use jiff::Timestamp;
use lockstep_api::push_secret::{PushSecretStatus, PushUpdatePolicy, SyncedPushSecrets};
use lockstep_api::{messages, reasons};
use lockstep_provider_api::Error;
use lockstep_provider_api::error::Retry;

use super::grace::Pending;
use super::names::store_word;
use super::status::{self, Change};
use super::{Observed, PushOutcome, record, refresh};
use crate::cause::Cause;
use crate::conditions::{failure_message, ready, ready_reason};
use crate::event::EventNote;
use crate::external_secret::next_try;
use crate::failure::Failure;
use crate::next_run::NextRun;
use crate::patience::store_may_come;
use crate::settings::Settings;
use crate::store::StoreKey;

/// What a run did.
#[derive(Debug)]
pub struct Applied {
    /// The record of pushed secrets as it is now.
    pub record: SyncedPushSecrets,
    /// How it ended.
    pub settled: Settled,
    /// A deletion that waits.
    pub pending: Option<Pending>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Settled {
    /// Everything is pushed, and what is no longer pushed is deleted.
    Synced,
    /// The source is gone, and so is what was pushed of it.
    SourceDeleted,
    /// The source is missing, and what was pushed of it waits for its return.
    SourceMissing,
    /// It failed.
    Failed(Failure),
}

impl Applied {
    /// A run that failed before anything was written.
    pub fn failed(observed: &Observed<'_>, failure: Failure) -> Self {
        Self {
            record: record::of(&observed.object),
            settled: Settled::Failed(failure),
            pending: None,
        }
    }
}

/// What to do after a run.
#[derive(Debug)]
pub struct Report {
    /// The status to write; `None` when it is as it should be.
    pub status: Option<PushSecretStatus>,
    /// Events to record.
    pub events: Vec<EventNote>,
    /// How the reconcile ended.
    pub outcome: PushOutcome,
}

impl From<PushOutcome> for Report {
    fn from(outcome: PushOutcome) -> Self {
        Self {
            status: None,
            events: Vec::new(),
            outcome,
        }
    }
}

/// Reports what a run did.
pub fn report(
    observed: &Observed<'_>,
    applied: Applied,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let Applied {
        record,
        settled,
        pending,
    } = applied;
    let report = match settled {
        Settled::Synced => synced(observed, record, settings, now),
        Settled::SourceDeleted => source_deleted(observed, record, settings, now),
        Settled::SourceMissing => PushOutcome::next(next_push(observed, now)).into(),
        Settled::Failed(failure) => failed(observed, record, failure, settings, now),
    };
    match pending {
        Some(pending) => report.waiting(pending),
        None => report,
    }
}

impl Report {
    /// The same with a deletion that waits: it is reported once, and the source is read again in time.
    fn waiting(mut self, pending: Pending) -> Self {
        self.events.extend(pending.event);
        self.outcome.doomed_since = Some(pending.since);
        self.outcome.next = match self.outcome.next {
            NextRun::At(at) => NextRun::At(at.min(pending.until)),
            NextRun::OnChange => NextRun::At(pending.until),
            next => next,
        };
        self
    }
}

fn next_push(observed: &Observed<'_>, now: Timestamp) -> NextRun {
    refresh::next(observed, now).map_or(NextRun::OnChange, NextRun::At)
}

fn synced(
    observed: &Observed<'_>,
    record: SyncedPushSecrets,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let message = match observed.object.spec.update_policy() {
        PushUpdatePolicy::IfNotExists => {
            format!(
                "{}{}",
                messages::PUSH_SYNCED,
                messages::PUSH_UNCHANGED_SUFFIX
            )
        }
        _ => messages::PUSH_SYNCED.to_owned(),
    };
    let change = Change {
        condition: ready(true, reasons::PUSH_SYNCED, message.clone()),
        record,
        done: true,
    };
    let status = status::after(observed, change, settings, now);
    let news = status.condition_changed || status.record_changed;
    let event = EventNote::normal(reasons::PUSH_SYNCED, message);
    Report {
        status: status.write,
        events: news.then_some(event).into_iter().collect(),
        outcome: PushOutcome {
            refreshed: Some(now),
            condition_changed: status.condition_changed,
            ..PushOutcome::next(next_push(observed, now))
        },
    }
}

/// The source is looked for again at every interval; the watch usually tells sooner.
fn source_deleted(
    observed: &Observed<'_>,
    record: SyncedPushSecrets,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let (reason, message) = (reasons::PUSH_SOURCE_DELETED, messages::PUSH_SOURCE_DELETED);
    let change = Change {
        condition: ready(false, reason, message),
        record,
        done: false,
    };
    let status = status::after(observed, change, settings, now);
    let event = EventNote::normal(reason, message);
    let news = status.condition_changed.then_some(event);
    Report {
        status: status.write,
        events: news.into_iter().collect(),
        outcome: PushOutcome {
            condition_changed: status.condition_changed,
            ..PushOutcome::next(next_push(observed, now))
        },
    }
}

fn failed(
    observed: &Observed<'_>,
    record: SyncedPushSecrets,
    failure: Failure,
    settings: &Settings,
    now: Timestamp,
) -> Report {
    let object = &observed.object;
    let conditions = object.status.as_ref().map(|status| &*status.conditions);
    let told = conditions.unwrap_or_default();
    if let Some(at) = store_may_come(&object.metadata, told, &failure, settings, now) {
        return PushOutcome::next(NextRun::At(at)).into();
    }
    let reason = reasons::PUSH_ERRORED;
    let change = Change {
        condition: ready(false, reason, failure_message(told, &failure)),
        record,
        done: false,
    };
    let status = status::after(observed, change, settings, now);
    // Waiting for a store is no second failure: the event about the first one has said why.
    let news = status.condition_changed || !failure.is_unasked();
    let event = EventNote::warning(reason, failure.event());
    Report {
        status: status.write,
        events: news.then_some(event).into_iter().collect(),
        outcome: PushOutcome {
            condition_changed: status.condition_changed,
            ..PushOutcome::next(next_try(&failure))
        }
        .failed(failure),
    }
}

/// A source that could not be read, or is not there.
pub fn no_source(error: &Error) -> Failure {
    let failure = Failure::of_error(messages::PUSH_NO_SOURCE, error).retrying(Retry::Slow);
    failure.with_event(|text| format!("{}: {text}", messages::PUSH_NO_SOURCE))
}

/// A store through which a recorded secret cannot be deleted.
pub fn deletion_failed(word: &str, store: Option<&StoreKey>, text: &str) -> Failure {
    let name = store.map_or_else(|| word.to_owned(), store_word);
    let text = format!(
        "Failed to Delete Secrets from Provider: could not get secrets client for store {name}: \
         {text}"
    );
    let failure = Failure::worded(Cause::STORE_NOT_USABLE, text).retrying(Retry::Slow);
    match store {
        Some(store) => failure.from_store(store.clone()),
        None => failure,
    }
}

impl Observed<'_> {
    /// Whether the source being gone means that what was pushed of it goes too, or has gone already.
    pub fn follows_source(&self) -> bool {
        use lockstep_api::push_secret::PushDeletionPolicy;
        let status = self.object.status.as_ref();
        let reason = status.and_then(|status| ready_reason(&status.conditions));
        *self.object.spec.deletion_policy() == PushDeletionPolicy::Delete
            && (!record::of(&self.object).is_empty()
                || reason == Some(reasons::PUSH_SOURCE_DELETED))
    }
}
