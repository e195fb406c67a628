//! Applies the floor under refresh intervals to shared reads and to runs, and warns once for each
//! generation of an object that the floor holds back. `lockstep-scheduling` decides.

use jiff::Timestamp;
use lockstep_index::ObjectKey;
use lockstep_plan::EventNote;
use lockstep_scheduling::floor::Refresh;

use crate::context::Context;
use crate::schedule::{FLOOR, Schedule};

/// Reason of the event.
const REASON: &str = "RefreshIntervalTooShort";

/// Until when a refresh of what was last read at `last` has to wait; `None` where it may be made now.
pub(crate) fn wait_for(
    context: &Context,
    key: &ObjectKey,
    last: Timestamp,
    now: Timestamp,
) -> Option<Timestamp> {
    match context.schedule.floor.refresh(key, last, now) {
        Refresh::Now => None,
        Refresh::Later(at) => Some(at),
        Refresh::Floored(at) => {
            warn(context, key);
            Some(at)
        }
    }
}

/// When an object that was refreshed now and wants its next refresh at `at` may have it.
pub(crate) fn next_refresh(
    context: &Context,
    key: &ObjectKey,
    at: Timestamp,
    now: Timestamp,
) -> Timestamp {
    wait_for(context, key, now, at).unwrap_or(at)
}

/// The same for a PushSecret, whose pushes compare before they write; it is not warned.
pub(crate) fn next_push(
    schedule: &Schedule,
    key: &ObjectKey,
    at: Timestamp,
    now: Timestamp,
) -> Timestamp {
    match schedule.floor.refresh(key, now, at) {
        Refresh::Now => at,
        Refresh::Later(later) | Refresh::Floored(later) => later,
    }
}

fn warn(context: &Context, key: &ObjectKey) {
    let Some(object) = context.index.external_secrets().object(key) else {
        return;
    };
    if context
        .schedule
        .floor
        .is_news(key, object.metadata.generation.unwrap_or_default())
    {
        let text = format!(
            "spec.refreshInterval is shorter than the floor of {} s, and the namespace has used up its \
             early refreshes; the object is refreshed every {} s",
            FLOOR.as_secs(),
            FLOOR.as_secs()
        );
        let event = EventNote::warning(REASON, text);
        context.api.recorders.external_secret(&object, &event);
    }
}
