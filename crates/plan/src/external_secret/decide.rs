//! The first decision of a run: leave the object alone, wait, clean up, fail, or fetch. Nothing has
//! been read from a provider yet, and a `Fetch` says exactly what will be.

use jiff::Timestamp;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::external_secret::{CreationPolicy, DeletionPolicy, StoreKind};
use lockstep_api::{ExternalSecret, ExternalSecretStatus, messages, reasons};
use lockstep_golang::duration::Duration as GoDuration;

use super::fetch::{self, FetchList};
use super::finalizer::has_finalizer;
use super::names::{namespace, uid};
use super::status;
use super::{Observed, ObservedTarget};
use crate::cause::Cause;
use crate::conditions::is_ready;
use crate::failure::Failure;
use crate::manifest_target::{Object, ObjectRef};
use crate::refresh::{self, Due};
use crate::settings::Settings;
use crate::store::{StoreKey, UnsupportedKind};
use crate::target::{TargetDelete, TargetRow};
use crate::validate;

/// Condition message of an interval that cannot be read.
const INVALID_INTERVAL: &str = "invalid refreshInterval";
/// What to write in place of an interval that cannot be read; days and weeks are what people try.
const UNITS: &str = "write hours, minutes or seconds, for example 24h";
/// Condition message of more windows than are looked at.
const INVALID_WINDOWS: &str = "invalid syncWindows";

/// A decision, and whether the finalizer must be added before anything else is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether [`super::add_finalizer`] must be applied first.
    pub add_finalizer: bool,
    /// What to do.
    pub decision: Decision,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Nothing: the object is not ours to look after.
    Ignore(Ignored),
    /// Nothing now.
    Idle {
        /// When to look again; `None` means only when something changes.
        until: Option<Timestamp>,
        /// Whether a Secret of the target's name that appears without our label matters.
        awaits_target: bool,
        /// A status to write all the same: the new generation was seen and asks for nothing, or the
        /// last refresh is to be noted.
        status: Option<Box<ExternalSecretStatus>>,
    },
    /// The object is being deleted: delete what is listed, then remove the finalizer.
    Release(ReleasePlan),
    /// Report this failure.
    Fail(Failure),
    /// Fetch this list.
    Fetch(FetchList),
}

/// Why an object is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// It is being deleted and does not wait for us.
    Released,
    /// Cluster stores are switched off, and it uses one.
    ClusterStoresOff,
    /// A store or generator it uses belongs to another controller class.
    ForeignClass,
}

/// Clean-up of an object that is being deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleasePlan {
    /// Secrets to delete, each under its preconditions.
    pub delete: Vec<TargetDelete>,
    /// The target to delete, where it is no Secret.
    pub object: Option<TargetDelete>,
}

/// Decides what a run does. `now` is the start of the run.
pub fn decide(observed: &Observed<'_>, settings: &Settings, now: Timestamp) -> Verdict {
    let object = &observed.object;
    if object.metadata.deletion_timestamp.is_some() {
        return Verdict {
            add_finalizer: false,
            decision: release(observed, settings),
        };
    }
    let decision = match decide_live(observed, settings, now) {
        Ok(decision) => decision,
        Err(failure) => Decision::Fail(failure),
    };
    Verdict {
        add_finalizer: !has_finalizer(object),
        decision,
    }
}

fn decide_live(
    observed: &Observed<'_>,
    settings: &Settings,
    now: Timestamp,
) -> Result<Decision, Failure> {
    let object = &observed.object;
    if !settings.cluster_stores && names_cluster_store(object) {
        return Ok(Decision::Ignore(Ignored::ClusterStoresOff));
    }
    if is_foreign(observed, settings).map_err(unsupported_kind)? {
        return Ok(Decision::Ignore(Ignored::ForeignClass));
    }
    if let ObservedTarget::Unreadable(failure) = &observed.target {
        return Err(failure.clone());
    }
    refuse_manifest(object, settings)?;
    refuse_spec(object)?;
    validate::windows(&object.spec)
        .map_err(|text| Failure::new(INVALID_WINDOWS, Cause::INVALID_SPEC, text))?;
    let interval = refresh::interval(object)
        .map_err(|error| format!("{error}; {UNITS}"))
        .map_err(|error| Failure::new(INVALID_INTERVAL, Cause::INVALID_SPEC, error))?;
    let refreshed = refresh::last_refresh(object, observed.last_refresh);
    let due = refresh::due(object, refreshed, interval, now);
    let due = refresh::resumed(object, due, refreshed.zip(settings.started), interval, now);
    let state = target_state(observed);
    let news = observed.inputs_changed && refresh::reacts(object, interval, now);
    let wanted = due == Due::Now
        || news
        || state == TargetState::Invalid
        || must_retry(object, interval, now);
    if wanted {
        return fetch::list(observed, settings).map(Decision::Fetch);
    }
    Ok(Decision::Idle {
        until: wake_up(due, interval, observed.jitter),
        awaits_target: state == TargetState::Awaited,
        status: status::idle(object, refreshed, settings, now).map(Box::new),
    })
}

/// Whether the object failed: its condition is to be corrected now, not by a refresh that may be an hour
/// away or never come. What made it run before it was due may be forgotten since, with the process.
fn must_retry(object: &ExternalSecret, interval: GoDuration, now: Timestamp) -> bool {
    let conditions = object
        .status
        .as_ref()
        .map(|status| status.conditions.as_slice());
    let failed = conditions.and_then(is_ready) == Some(false);
    failed && (!refresh::is_periodic(object, interval) || refresh::reacts(object, interval, now))
}

fn wake_up(due: Due, interval: GoDuration, jitter: f64) -> Option<Timestamp> {
    match due {
        Due::At(deadline) => Some(refresh::spread(deadline, interval, jitter)),
        Due::Spread(slot) => Some(slot),
        Due::Now | Due::Never => None,
    }
}

fn release(observed: &Observed<'_>, settings: &Settings) -> Decision {
    let object = &observed.object;
    if !has_finalizer(object) {
        return Decision::Ignore(Ignored::Released);
    }
    // The finalizer of a foreign object goes too, or it would wait for us for ever; its clean-up
    // is not ours.
    let ours = !is_foreign(observed, settings).unwrap_or(false);
    let deletes = ours && *object.spec.deletion_policy() == DeletionPolicy::Delete;
    let target = observed
        .target
        .row()
        .filter(|row| deletes && row.is_controlled_by(uid(object)));
    let live = match &observed.target {
        ObservedTarget::Object(live) => {
            let live = live.as_deref();
            live.filter(|live| deletes && live.is_controlled_by(uid(object)))
        }
        _ => None,
    };
    Decision::Release(ReleasePlan {
        delete: target.map(TargetRow::deletion).into_iter().collect(),
        object: live.map(Object::deletion),
    })
}

fn names_cluster_store(object: &ExternalSecret) -> bool {
    let reference = object.spec.secret_store_ref.as_ref();
    reference.is_some_and(|reference| *reference.kind() == StoreKind::ClusterSecretStore)
}

/// Whether a store or generator belongs to another class; those that do not exist say nothing.
fn is_foreign(observed: &Observed<'_>, settings: &Settings) -> Result<bool, UnsupportedKind> {
    let object = &observed.object;
    let class = settings.class.as_str();
    for generator in fetch::generators(object) {
        let wanted = observed
            .stores
            .generator_class(namespace(object), generator);
        if wanted.is_some_and(|wanted| !wanted.is_empty() && wanted != class) {
            return Ok(true);
        }
    }
    for reference in fetch::references(object) {
        let key = StoreKey::referenced(reference, namespace(object))?;
        let store = observed.stores.store(&key);
        if store.is_some_and(|store| store.is_foreign_to(class)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn unsupported_kind(error: UnsupportedKind) -> Failure {
    Failure::new(
        messages::COULD_NOT_GET_DATA,
        Cause::INVALID_SPEC,
        error.to_string(),
    )
}

fn refuse_manifest(object: &ExternalSecret, settings: &Settings) -> Result<(), Failure> {
    if settings.generic_targets || ObjectRef::of(object).is_none() {
        return Ok(());
    }
    Err(Failure::new(
        messages::INVALID_GENERIC_TARGET,
        Cause::UNSUPPORTED,
        "generic targets are disabled. Enable with --unsafe-allow-generic-targets flag",
    ))
}

/// Refuses what admission refuses, in its words: admission may not have been asked.
fn refuse_spec(object: &ExternalSecret) -> Result<(), Failure> {
    let faults = validate::unsyncable(&object.spec);
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::worded(Cause::INVALID_SPEC, faults.join("\n")))
}

/// How the target stands before anything is fetched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetState {
    /// As it was left.
    Valid,
    /// Known to be missing; it is waited for.
    Awaited,
    /// Missing or touched: fetch whatever the refresh policy says.
    Invalid,
}

fn target_state(observed: &Observed<'_>) -> TargetState {
    let object = &observed.object;
    match (object.spec.creation_policy(), &observed.target) {
        // Upstream fetches at every run for `None`; there is nothing that could need repair.
        (CreationPolicy::None | CreationPolicy::Orphan, _) => TargetState::Valid,
        (_, ObservedTarget::Row(row)) if row.is_untouched() => TargetState::Valid,
        (_, ObservedTarget::Object(Some(live))) if live.is_untouched() => TargetState::Valid,
        (policy, ObservedTarget::Absent | ObservedTarget::Object(None)) => {
            match last_outcome(object) {
                Some((reasons::SECRET_MISSING | reasons::RESOURCE_MISSING, _))
                    if *policy == CreationPolicy::Merge =>
                {
                    TargetState::Awaited
                }
                // The provider had no data, so there is no target; the next refresh asks again.
                Some(
                    (reasons::SECRET_DELETED | reasons::RESOURCE_DELETED, _)
                    | (_, messages::SECRET_RETAINED),
                ) => TargetState::Valid,
                _ => TargetState::Invalid,
            }
        }
        _ => TargetState::Invalid,
    }
}

/// Reason and message of the Ready condition.
fn last_outcome(object: &ExternalSecret) -> Option<(&str, &str)> {
    let ready = Condition::find(&object.status.as_ref()?.conditions, READY)?;
    Some((
        ready.reason.as_deref()?,
        ready.message.as_deref().unwrap_or_default(),
    ))
}
