//! When an ExternalSecret fetches again: refresh policy, interval, sync windows and jitter.
//! Invalid targets and deletions are not looked at here; they fetch whatever this file says.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::ExternalSecret;
use lockstep_api::external_secret::RefreshPolicy;
use lockstep_golang::duration::Duration as GoDuration;

use crate::conditions::is_ready;
use crate::meta::{self, share_of};
use crate::settings::{RefreshNote, Settings};
use crate::template_source::template_sources;
use crate::window::{self, Permit};

/// Interval of objects that name none.
const DEFAULT_INTERVAL: GoDuration = GoDuration::from_secs(3_600);
/// Share of the interval by which wake-ups are spread.
const JITTER: f64 = 0.1;

/// Longest time over which missed refreshes are spread after a start.
const LONGEST_RESUME: SignedDuration = SignedDuration::from_mins(5);

/// Longest age of an answer that is as good as a new one.
const LONGEST_TOLERANCE: Duration = Duration::from_secs(5);

/// Longest time before its end at which a credential is replaced.
const BEFORE_END: SignedDuration = SignedDuration::from_mins(5);

/// When to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Now.
    Now,
    /// Not before this time.
    At(Timestamp),
    /// At this time, which is its own: nothing is to be added.
    Spread(Timestamp),
    /// Only when something changes.
    Never,
}

/// The interval in force; an error names the text that is no duration.
pub(crate) fn interval(object: &ExternalSecret) -> Result<GoDuration, String> {
    interval_of(object.spec.refresh_interval.as_deref())
}

/// The interval that is written, or the default.
pub(crate) fn interval_of(written: Option<&str>) -> Result<GoDuration, String> {
    match written {
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
    let changed = synced != meta::synced_resource_version(&object.metadata);
    let Some(refreshed) = refreshed.filter(|_| !changed) else {
        return Due::Now;
    };
    if !periodic {
        return Due::Never;
    }
    let renewal = object.status.as_ref();
    let renewal = renewal.and_then(|status| status.credential_refresh_time.as_ref());
    match (periodic_due(object, refreshed, interval, now), renewal) {
        (Due::At(deadline), Some(renewal)) if renewal.0 < deadline && refreshed <= now => {
            if renewal.0 > now {
                return Due::Spread(renewal.0);
            }
            permitted(object, now)
        }
        (due, _) => due,
    }
}

/// When a credential that was made now is replaced: after four fifths of its life, at the latest five
/// minutes before its end, and never in the first half of its life. `None` for one that has ended.
pub(crate) fn renewal(expires: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let life = expires.duration_since(now);
    if life <= SignedDuration::ZERO {
        return None;
    }
    let after = (life * 4 / 5).min(life - BEFORE_END).max(life / 2);
    now.checked_add(after).ok()
}

/// Gives an object whose refresh was missed while nobody ran a slot after the start, so that a whole
/// fleet does not read at once. Objects that failed or changed do not wait.
pub(crate) fn resumed(
    object: &ExternalSecret,
    due: Due,
    refreshed_and_started: Option<(Timestamp, Timestamp)>,
    interval: GoDuration,
    now: Timestamp,
) -> Due {
    let Some((refreshed, started)) = refreshed_and_started.filter(|_| due == Due::Now) else {
        return due;
    };
    let status = object.status.as_ref();
    let synced = status.and_then(|status| status.synced_resource_version.as_deref());
    let settled = synced == Some(meta::synced_resource_version(&object.metadata).as_str())
        && status.and_then(|status| is_ready(&status.conditions)) == Some(true);
    let missed = later(refreshed, interval).is_some_and(|deadline| deadline <= started);
    if !(settled && missed && is_periodic(object, interval)) {
        return due;
    }
    let slot = resume_slot(&object.metadata, started, interval);
    slot.filter(|slot| *slot > now).map_or(due, Due::Spread)
}

/// The time after a start at which a missed refresh is made up for.
pub(crate) fn resume_slot(
    meta: &ObjectMeta,
    started: Timestamp,
    interval: GoDuration,
) -> Option<Timestamp> {
    let longest = SignedDuration::from_nanos(interval.as_nanos()).min(LONGEST_RESUME);
    started.checked_add(longest.mul_f64(share_of(meta))).ok()
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
    permitted(object, now)
}

/// What is due now, unless the windows are closed.
fn permitted(object: &ExternalSecret, now: Timestamp) -> Due {
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

/// How often time alone refreshes an object; `None` where it never does, or only within windows.
pub fn period(object: &ExternalSecret) -> Option<Duration> {
    let interval = interval(object).ok()?;
    let windows = object.spec.sync_windows.as_deref();
    let unbound = windows.is_none_or(|windows| windows.windows.is_empty());
    let periodic = unbound && is_periodic(object, interval);
    interval.to_std().filter(|_| periodic)
}

/// How old the values of an object may become, where one read can keep several such objects fresh.
/// `None` where more than the remote values decides what a refresh gives: windows, texts from other
/// objects, chance, the time of day, or a status that must be written each time.
pub fn shared_interval(object: &ExternalSecret, settings: &Settings) -> Option<Duration> {
    let interval = period(object)?;
    let shared = settings.refresh_note == RefreshNote::Spread
        && template_sources(object).is_empty()
        && !renders_anew(object);
    shared.then_some(interval)
}

/// How old an answer may be for a refresh that time alone asks for.
pub fn tolerance(object: &ExternalSecret) -> Duration {
    let interval = interval(object).ok().and_then(GoDuration::to_std);
    interval.map_or(Duration::ZERO, |interval| {
        (interval / 10).min(LONGEST_TOLERANCE)
    })
}

/// Whether a template may give another text for the same values. Judged by words that occur, so it
/// errs towards yes.
fn renders_anew(object: &ExternalSecret) -> bool {
    const WORDS: [&str; 10] = [
        "now", "date", "ago", "rand", "shuffle", "uuid", "gen", "crypt", "htpasswd", "derive",
    ];
    let target = object.spec.target.as_ref();
    let template = target.and_then(|target| target.template.as_ref());
    let rewrites = object.spec.data_from.iter().map(|entry| &entry.rewrite);
    let rewrites: Vec<_> = rewrites.filter(|rewrite| !rewrite.is_empty()).collect();
    if template.is_none() && rewrites.is_empty() {
        return false;
    }
    let Ok(text) = serde_json::to_string(&(template, rewrites)) else {
        return true;
    };
    WORDS.iter().any(|word| text.contains(word))
}

/// Moves a deadline back by up to a tenth of the interval, so that objects made together part.
pub(crate) fn spread(deadline: Timestamp, interval: GoDuration, jitter: f64) -> Timestamp {
    let interval = SignedDuration::from_nanos(interval.as_nanos());
    let delay = interval.mul_f64(JITTER * jitter.clamp(0.0, 1.0));
    deadline.checked_add(delay).unwrap_or(deadline)
}

pub(crate) fn later(from: Timestamp, interval: GoDuration) -> Option<Timestamp> {
    from.checked_add(SignedDuration::from_nanos(interval.as_nanos()))
        .ok()
}

#[cfg(test)]
mod tests;
