//! When what was pushed may be deleted because the source no longer has it. Owners delete a Secret and
//! make it again within milliseconds, so the source is looked for once more after a grace time. What an
//! edit of the PushSecret takes out is deleted at once. Deletes nothing itself.

use jiff::{SignedDuration, Timestamp};
use lockstep_api::PushSecret;
use lockstep_api::reasons;

use super::record::Recorded;
use super::{Observed, SourceRef, source};
use crate::event::EventNote;
use crate::meta::synced_resource_version;

/// Time between the run that misses something in the source and the deletion.
pub const GRACE: SignedDuration = SignedDuration::from_secs(30);

/// Entries that the event names; the others are counted.
const NAMED: usize = 5;

/// What the run found of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// It is there, and so are all Secrets of a label selection that has any.
    There,
    /// The named Secret is missing, or no Secret has the labels.
    Missing,
}

/// A deletion that waits for the end of the grace time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The run that missed it first.
    pub since: Timestamp,
    /// When to look for the source again.
    pub until: Timestamp,
    /// The event of the first run; later ones have none.
    pub event: Option<EventNote>,
}

/// Whether `obsolete` may be deleted now; `None` says that it may.
pub fn pending(
    observed: &Observed<'_>,
    state: SourceState,
    obsolete: &[Recorded],
    now: Timestamp,
) -> Option<Pending> {
    let edited = state == SourceState::There && was_edited(&observed.object);
    if obsolete.is_empty() || edited {
        return None;
    }
    let known = begun(observed, now);
    let since = known.unwrap_or(now);
    let until = end(since);
    let event = known.is_none().then(|| event(observed, state, obsolete));
    (now < until).then_some(Pending {
        since,
        until,
        event,
    })
}

/// When a pending deletion is due; `None` where there is none.
pub(super) fn due(observed: &Observed<'_>, now: Timestamp) -> Option<Timestamp> {
    // A clock that was set back must not put it off.
    let since = observed.doomed_since?;
    Some(if since > now { now } else { end(since) })
}

fn begun(observed: &Observed<'_>, now: Timestamp) -> Option<Timestamp> {
    observed.doomed_since.filter(|since| *since <= now)
}

fn end(since: Timestamp) -> Timestamp {
    since.saturating_add(GRACE).unwrap_or(Timestamp::MAX)
}

/// Whether the object is another one than the one that was last pushed.
fn was_edited(object: &PushSecret) -> bool {
    let status = object.status.as_ref();
    let synced = status.and_then(|status| status.synced_resource_version.as_deref());
    synced != Some(synced_resource_version(&object.metadata).as_str())
}

fn event(observed: &Observed<'_>, state: SourceState, obsolete: &[Recorded]) -> EventNote {
    let missed = match (state, source(&observed.object)) {
        (SourceState::Missing, Some(SourceRef::Named(name))) => {
            format!("source Secret {name:?} is missing")
        }
        (SourceState::Missing, _) => "no source Secret has the labels of the selector".to_owned(),
        (SourceState::There, _) => "the source no longer has everything that was pushed".to_owned(),
    };
    let names = obsolete.iter().take(NAMED);
    let names: Vec<String> = names
        .map(|one| format!("{} in {}", one.id, one.word))
        .collect();
    let more = match obsolete.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = format!(
        "{missed}: deleting {}{more} in {}s unless it is back by then",
        names.join(", "),
        GRACE.as_secs()
    );
    EventNote::normal(reasons::EVENT_PUSH_DELETION_PENDING, text)
}
