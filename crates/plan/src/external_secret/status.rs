//! The status an ExternalSecret gets, and whether it is worth a write. Time alone is not, except
//! for the note of the last refresh that is due now and then.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::external_secret::{Binding, RefreshPolicy};
use lockstep_api::{ExternalSecret, ExternalSecretStatus};

use super::names::synced_resource_version;
use crate::conditions::{seconds, set};
use crate::meta::share_of;
use crate::note;
use crate::refresh;
use crate::settings::{RefreshNote, Settings};

/// Time a refresh may take.
const REFRESH_TIME: SignedDuration = SignedDuration::from_secs(5);

/// What a run changes in the status.
pub(super) struct Change {
    /// The new Ready condition.
    pub(super) condition: Condition,
    /// Whether values were fetched and everything is in place.
    pub(super) done: bool,
    /// Whether the target is named in `binding`.
    pub(super) binds: bool,
    /// The true last refresh before this run.
    pub(super) last_refresh: Option<Timestamp>,
    /// When a credential that was made is to be replaced.
    pub(super) renew_at: Option<Timestamp>,
}

/// The status after a run, and whether the Ready condition changed in it.
pub(super) struct NewStatus {
    /// The status to write; `None` when nothing worth a write changed.
    pub(super) write: Option<ExternalSecretStatus>,
    /// Whether the condition changed.
    pub(super) condition_changed: bool,
}

/// Applies a change to the object's status.
pub(super) fn after(
    object: &ExternalSecret,
    change: Change,
    settings: &Settings,
    now: Timestamp,
) -> NewStatus {
    let old = object.status.clone().unwrap_or_default();
    let mut new = old.clone();
    let condition_changed = set(&mut new.conditions, change.condition, now);
    if change.binds {
        new.binding = Some(Binding {
            name: object.target_name().to_owned(),
        });
    }
    // One that is there proves that the schema keeps it, whatever was seen at the start.
    if settings.observed_generation || old.observed_generation.is_some() {
        new.observed_generation = object.metadata.generation;
    }
    if change.done {
        new.synced_resource_version = Some(synced_resource_version(object));
        new.credential_refresh_time = change.renew_at.map(seconds);
    }
    let real = is_real_change(&old, &new);
    let refreshed = if change.done {
        Some(now)
    } else {
        change.last_refresh
    };
    if let Some(refreshed) = refreshed {
        new.refresh_time = Some(seconds(refreshed));
    }
    let next = refreshed.filter(|_| change.done);
    new.next_update_time = next.and_then(|at| next_update(object, &new, settings, at));
    if change.done && *object.spec.refresh_policy() == RefreshPolicy::OnChange {
        // Argo CD takes such an object for unfinished while its refresh is later than its transition.
        let conditions = new.conditions.iter_mut();
        for ready in conditions.filter(|condition| condition.type_ == READY) {
            ready.last_transition_time = Some(seconds(now));
        }
    }
    let write = real || (change.done && note_is_due(object, settings, now));
    NewStatus {
        write: write.then_some(new),
        condition_changed,
    }
}

/// The status of an object whose new generation asks for nothing, where the old one was noted.
pub(super) fn seen_generation(object: &ExternalSecret) -> Option<ExternalSecretStatus> {
    let status = object.status.as_ref()?;
    let noted = status
        .observed_generation
        .filter(|generation| *generation >= 0)?;
    let generation = object.metadata.generation?;
    let status = ExternalSecretStatus {
        observed_generation: Some(generation),
        ..status.clone()
    };
    (noted != generation).then_some(status)
}

/// The status of an object that has nothing to do, where it is worth a write: a new generation was
/// seen, or the last refresh is to be noted.
pub(super) fn idle(
    object: &ExternalSecret,
    refreshed: Option<Timestamp>,
    settings: &Settings,
    now: Timestamp,
) -> Option<ExternalSecretStatus> {
    let seen = seen_generation(object);
    let old = object.status.as_ref()?;
    let noted = old.refresh_time.as_ref().map(|noted| noted.0);
    let news = refreshed.map(seconds).filter(|new| Some(new.0) > noted);
    let Some(news) = news.filter(|_| seen.is_some() || note_is_due(object, settings, now)) else {
        return seen;
    };
    let refreshed = news.0;
    let mut new = ExternalSecretStatus {
        refresh_time: Some(news),
        ..seen.unwrap_or_else(|| old.clone())
    };
    new.next_update_time = next_update(object, &new, settings, refreshed);
    Some(new)
}

/// About when the refresh time of this status is written again while nothing changes.
fn next_update(
    object: &ExternalSecret,
    status: &ExternalSecretStatus,
    settings: &Settings,
    refreshed: Timestamp,
) -> Option<Time> {
    let next = match settings.refresh_note {
        RefreshNote::EveryRefresh => {
            let interval = refresh::interval(object).ok();
            let interval = interval.filter(|every| refresh::is_periodic(object, *every));
            interval.and_then(|every| refresh::later(refreshed, every))
        }
        RefreshNote::Spread => note_at(object, Some(status), refreshed),
    };
    next.map(seconds)
}

/// When an object that shared reads keep fresh should look at itself next, to note the last refresh:
/// once a note is due and a refresh must have come. `written` is the status just written.
pub(super) fn note_at(
    object: &ExternalSecret,
    written: Option<&ExternalSecretStatus>,
    refreshed: Timestamp,
) -> Option<Timestamp> {
    let interval = refresh::interval(object).ok()?;
    let status = written.or(object.status.as_ref())?;
    let noted = status
        .refresh_time
        .as_ref()
        .filter(|_| refresh::is_periodic(object, interval))?;
    let due = noted
        .0
        .checked_add(note::period(&object.metadata, interval))
        .ok()?;
    let interval = SignedDuration::from_nanos(interval.as_nanos());
    let longest = interval.mul_f64(1.25 + 0.15 * share_of(&object.metadata)) + REFRESH_TIME;
    refreshed
        .checked_add(longest)
        .ok()
        .map(|next| next.max(due))
}

/// Whether more than time changed. A generation noted for the first time waits for the next write,
/// so that taking over from another operator writes nothing.
fn is_real_change(old: &ExternalSecretStatus, new: &ExternalSecretStatus) -> bool {
    let generation_changed =
        old.observed_generation.is_some() && old.observed_generation != new.observed_generation;
    generation_changed
        || old.synced_resource_version != new.synced_resource_version
        || old.conditions != new.conditions
        || old.binding != new.binding
}

fn note_is_due(object: &ExternalSecret, settings: &Settings, now: Timestamp) -> bool {
    let noted = object
        .status
        .as_ref()
        .and_then(|status| status.refresh_time.as_ref());
    let interval = refresh::interval(object).unwrap_or_default();
    note::is_due(
        &object.metadata,
        noted.map(|noted| noted.0),
        interval,
        settings,
        now,
    )
}
