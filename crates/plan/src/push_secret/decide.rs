//! The first decision of a run: leave the object alone, wait, clean up, fail, or push. Nothing has
//! been read or written yet.

use jiff::Timestamp;
use lockstep_api::push_secret::PushDeletionPolicy;
use lockstep_api::{PushSecret, reasons};

use super::Observed;
use super::data_to;
use super::finalizer::has_finalizer;
use super::grace;
use super::record::{self, Recorded, obsolete};
use super::refresh;
use super::stores::{Resolved, resolve};
use crate::cause::Cause;
use crate::event::EventNote;
use crate::failure::Failure;
use crate::refresh::Due;
use crate::settings::Settings;

/// A decision, and what becomes of the finalizer before anything else is done.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Change of the finalizer.
    pub finalizer: FinalizerChange,
    /// What to do.
    pub decision: Decision,
}

/// What becomes of our finalizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalizerChange {
    /// It is as it should be.
    None,
    /// It is added.
    Add,
    /// It is added after the record of what was pushed is forgotten: without the finalizer nobody
    /// said whose those secrets are, so nothing of them may be deleted later.
    ForgetAndAdd,
    /// It is removed.
    Remove,
}

/// What a run does.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Nothing: the object is not ours to look after.
    Ignore(Ignored),
    /// Nothing now.
    Idle {
        /// When to look again; `None` means only when something changes.
        until: Option<Timestamp>,
        /// What the next push will fail with.
        warning: Option<EventNote>,
    },
    /// The object is being deleted: delete what is listed, then remove the finalizer.
    Release(Vec<Recorded>),
    /// Report this failure.
    Fail(Failure),
    /// Read the source and push.
    Push(Result<Resolved, Failure>),
}

/// Why an object is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// It is being deleted and does not wait for us.
    Released,
    /// No store it names is there for us: none matches, or all are of another controller class.
    NoStore,
}

/// Decides what a run does. `now` is the start of the run.
pub fn decide(observed: &Observed<'_>, settings: &Settings, now: Timestamp) -> Verdict {
    let object = &observed.object;
    let stores = resolve(observed, settings);
    let deleting = object.metadata.deletion_timestamp.is_some();
    let unused = stores.as_ref().is_ok_and(|stores| {
        let blocked = stores.deleting.is_some();
        stores.ours.is_empty() && (!deleting && !blocked || stores.foreign)
    });
    let abandoned = stores
        .as_ref()
        .is_ok_and(|stores| stores.ours.is_empty() && stores.deleting.is_some());
    let decision = match () {
        () if deleting && !has_finalizer(object) => Decision::Ignore(Ignored::Released),
        () if unused => Decision::Ignore(Ignored::NoStore),
        () if deleting => Decision::Release(to_release(object)),
        () => decide_live(observed, stores, settings, now),
    };
    let finalizer = match decision {
        Decision::Ignore(_) | Decision::Release(_) => FinalizerChange::None,
        // Nothing is pushed any more, so nothing more will have to be deleted.
        _ if abandoned => FinalizerChange::None,
        _ => finalizer_change(object),
    };
    Verdict {
        finalizer,
        decision,
    }
}

fn decide_live(
    observed: &Observed<'_>,
    stores: Result<Resolved, Failure>,
    settings: &Settings,
    now: Timestamp,
) -> Decision {
    let interval = match refresh::interval(observed) {
        Ok(interval) => interval,
        Err(text) => {
            let text = format!("invalid refreshInterval: {text}");
            return Decision::Fail(Failure::worded(Cause::INVALID_SPEC, text));
        }
    };
    let due = refresh::due(observed, interval, settings, now);
    let doomed = grace::due(observed, now);
    if due != Due::Now && doomed.is_none_or(|at| at > now) {
        let wake_up = refresh::wake_up(due, interval, observed.jitter);
        let failure = stores.as_ref().ok().and_then(Resolved::blocked);
        return Decision::Idle {
            until: wake_up.into_iter().chain(doomed).min(),
            warning: failure
                .map(|failure| EventNote::warning(reasons::PUSH_ERRORED, failure.event())),
        };
    }
    if let Some(failure) = stores
        .as_ref()
        .ok()
        .filter(|stores| stores.ours.is_empty())
        .and_then(Resolved::blocked)
    {
        return Decision::Fail(failure);
    }
    match data_to::check_references(&observed.object.spec) {
        Ok(()) => Decision::Push(stores),
        Err(text) => Decision::Fail(Failure::worded(Cause::INVALID_SPEC, text)),
    }
}

fn finalizer_change(object: &PushSecret) -> FinalizerChange {
    match (object.spec.deletion_policy(), has_finalizer(object)) {
        (PushDeletionPolicy::Delete, false) if record::of(object).is_empty() => {
            FinalizerChange::Add
        }
        (PushDeletionPolicy::Delete, false) => FinalizerChange::ForgetAndAdd,
        (PushDeletionPolicy::None, true) => FinalizerChange::Remove,
        _ => FinalizerChange::None,
    }
}

/// What goes with the object: everything that was pushed, where the policy says so.
fn to_release(object: &PushSecret) -> Vec<Recorded> {
    if *object.spec.deletion_policy() == PushDeletionPolicy::Delete {
        obsolete(object, &std::collections::BTreeMap::new())
    } else {
        Vec::new()
    }
}
