//! When an ExternalSecret fetches again: refresh policy, interval, sync windows and jitter.
//! Invalid targets and deletions are not looked at here; they fetch whatever this file says.

use jiff::{SignedDuration, Timestamp};
use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::RefreshPolicy;
use lockstep_golang::duration::Duration as GoDuration;

use crate::external_secret::synced_resource_version;
use crate::window::{self, Permit};

/// Interval of objects that name none.
const DEFAULT_INTERVAL: GoDuration = GoDuration::from_secs(3_600);
/// Share of the interval by which wake-ups are spread.
const JITTER: f64 = 0.1;

/// When to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Now.
    Now,
    /// Not before this time.
    At(Timestamp),
    /// Only when something changes.
    Never,
}

/// The interval in force; an error names the text that is no duration.
pub(crate) fn interval(object: &ExternalSecret) -> Result<GoDuration, String> {
    match object.spec.refresh_interval.as_deref() {
        None => Ok(DEFAULT_INTERVAL),
        Some(text) => GoDuration::parse(text).map_err(|error| error.to_string()),
    }
}

/// When values were last fetched: the later of status and memory.
pub(crate) fn last_refresh(
    object: &ExternalSecret,
    remembered: Option<Timestamp>,
) -> Option<Timestamp> {
    let status = object.status.as_ref();
    let written = status
        .and_then(|status| status.refresh_time.as_ref())
        .map(|time| time.0);
    written.max(remembered)
}

/// Whether to fetch now, judged from spec and status alone.
pub(crate) fn due(
    object: &ExternalSecret,
    refreshed: Option<Timestamp>,
    interval: GoDuration,
    now: Timestamp,
) -> Due {
    let synced = object
        .status
        .as_ref()
        .and_then(|status| status.synced_resource_version.as_deref());
    let Some(synced) = synced.filter(|version| !version.is_empty()) else {
        return Due::Now;
    };
    let policy = object.spec.refresh_policy();
    if *policy == RefreshPolicy::CreatedOnce {
        return if refreshed.is_none() {
            Due::Now
        } else {
            Due::Never
        };
    }
    let periodic = *policy != RefreshPolicy::OnChange;
    if periodic && interval.as_nanos() <= 0 {
        return Due::Never;
    }
    let changed = synced != synced_resource_version(object);
    let Some(refreshed) = refreshed.filter(|_| !changed) else {
        return Due::Now;
    };
    if !periodic {
        return Due::Never;
    }
    periodic_due(object, refreshed, interval, now)
}

/// The interval and the windows; a refresh in the future is a clock that was wrong.
fn periodic_due(
    object: &ExternalSecret,
    refreshed: Timestamp,
    interval: GoDuration,
    now: Timestamp,
) -> Due {
    let Some(deadline) = later(refreshed, interval) else {
        return Due::Never;
    };
    if refreshed <= now && deadline > now {
        return Due::At(deadline);
    }
    if refreshed > now {
        return Due::Now;
    }
    match permit(object, now) {
        Permit::Open => Due::Now,
        Permit::Closed { until: Some(until) } => Due::At(until),
        Permit::Closed { until: None } => Due::Never,
    }
}

/// Whether a changed input is followed at once: only where time would be followed too.
pub(crate) fn reacts(object: &ExternalSecret, interval: GoDuration, now: Timestamp) -> bool {
    is_periodic(object, interval) && permit(object, now) == Permit::Open
}

fn permit(object: &ExternalSecret, now: Timestamp) -> Permit {
    let windows = object.spec.sync_windows.as_deref();
    windows.map_or(Permit::Open, |windows| window::permit(windows, now))
}

/// The next periodic refresh after one at `refreshed`, with jitter.
pub(crate) fn next(
    object: &ExternalSecret,
    refreshed: Timestamp,
    interval: GoDuration,
    jitter: f64,
) -> Option<Timestamp> {
    if !is_periodic(object, interval) {
        return None;
    }
    later(refreshed, interval).map(|deadline| spread(deadline, interval, jitter))
}

/// Whether the object is refreshed as time goes by.
pub(crate) fn is_periodic(object: &ExternalSecret, interval: GoDuration) -> bool {
    use RefreshPolicy::{CreatedOnce, OnChange};
    !matches!(object.spec.refresh_policy(), CreatedOnce | OnChange) && interval.as_nanos() > 0
}

/// Moves a deadline back by up to a tenth of the interval, so that objects made together part.
pub(crate) fn spread(deadline: Timestamp, interval: GoDuration, jitter: f64) -> Timestamp {
    let interval = SignedDuration::from_nanos(interval.as_nanos());
    let delay = interval.mul_f64(JITTER * jitter.clamp(0.0, 1.0));
    deadline.checked_add(delay).unwrap_or(deadline)
}

fn later(from: Timestamp, interval: GoDuration) -> Option<Timestamp> {
    from.checked_add(SignedDuration::from_nanos(interval.as_nanos()))
        .ok()
}

#[cfg(test)]
mod tests;
