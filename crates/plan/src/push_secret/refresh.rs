//! When a PushSecret pushes again. A change of the object, or of what it reads from, does not wait
//! for the interval; one that failed is tried whenever it runs.

use jiff::Timestamp;
use lockstep_golang::duration::Duration as GoDuration;

use super::Observed;
use crate::conditions::is_ready;
use crate::meta::synced_resource_version;
use crate::refresh::{self, Due, resume_slot};
use crate::settings::Settings;

/// The interval in force; an error names the text that is no duration.
pub(super) fn interval(observed: &Observed<'_>) -> Result<GoDuration, String> {
    refresh::interval_of(observed.object.spec.refresh_interval.as_deref())
}

/// When values were last pushed: the later of status and memory.
pub(super) fn last_refresh(observed: &Observed<'_>) -> Option<Timestamp> {
    let status = observed.object.status.as_ref();
    let written = status.and_then(|status| status.refresh_time.as_ref());
    written.map(|time| time.0).max(observed.last_refresh)
}

/// Whether to push now.
pub(super) fn due(
    observed: &Observed<'_>,
    interval: GoDuration,
    settings: &Settings,
    now: Timestamp,
) -> Due {
    let object = &observed.object;
    let status = object.status.as_ref();
    let synced = status.and_then(|status| status.synced_resource_version.as_deref());
    let ready = status.and_then(|status| is_ready(&status.conditions));
    if synced != Some(synced_resource_version(&object.metadata).as_str()) || ready != Some(true) {
        return Due::Now;
    }
    if interval.as_nanos() <= 0 {
        return Due::Never;
    }
    let refreshed = last_refresh(observed).filter(|refreshed| *refreshed <= now);
    let Some(refreshed) = refreshed.filter(|_| !observed.inputs_changed) else {
        return Due::Now;
    };
    let Some(deadline) = refresh::later(refreshed, interval) else {
        return Due::Never;
    };
    if deadline > now {
        return Due::At(deadline);
    }
    // A push that was missed while nobody ran gets a slot after the start, so that a whole fleet
    // does not push at once.
    let missed = settings.started.filter(|started| deadline <= *started);
    let slot = missed.and_then(|started| resume_slot(&object.metadata, started, interval));
    slot.filter(|slot| *slot > now)
        .map_or(Due::Now, Due::Spread)
}

/// When to look at an object again that has nothing to do now.
pub(super) fn wake_up(due: Due, interval: GoDuration, jitter: f64) -> Option<Timestamp> {
    match due {
        Due::At(deadline) => Some(refresh::spread(deadline, interval, jitter)),
        Due::Spread(slot) => Some(slot),
        Due::Now | Due::Never => None,
    }
}

/// The next push after one at `now`.
pub(super) fn next(observed: &Observed<'_>, now: Timestamp) -> Option<Timestamp> {
    let interval = interval(observed).unwrap_or_default();
    let deadline = (interval.as_nanos() > 0).then(|| refresh::later(now, interval));
    deadline
        .flatten()
        .map(|deadline| refresh::spread(deadline, interval, observed.jitter))
}
