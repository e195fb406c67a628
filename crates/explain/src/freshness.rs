//! Whether an object that says it is synced really is as fresh as its interval asks for. The operator
//! notes an unchanged refresh only every ten to twenty minutes, so an old time alone proves nothing.

use jiff::{SignedDuration, Timestamp};
use lockstep_api::ExternalSecret;
use lockstep_api::conditions::{Condition, READY};

/// How late a note may be before somebody should look.
const GRACE: SignedDuration = SignedDuration::from_mins(5);
/// Longest time between two notes of unchanged refreshes, beside the interval itself.
const NOTES: SignedDuration = SignedDuration::from_mins(20);

/// How fresh an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Never synced.
    Never,
    /// Its last sync failed.
    Failing,
    /// Fresh.
    Fresh,
    /// No refresh was noted since this time, and one should have been.
    Stale(Timestamp),
}

/// How fresh an object is.
pub fn freshness(object: &ExternalSecret, now: Timestamp) -> Freshness {
    let Some(status) = &object.status else {
        return Freshness::Never;
    };
    match Condition::find(&status.conditions, READY) {
        None => return Freshness::Never,
        Some(ready) if !ready.is_true() => return Freshness::Failing,
        Some(_) => {}
    }
    let Some(refreshed) = status.refresh_time.as_ref().map(|time| time.0) else {
        return Freshness::Never;
    };
    if stale_after(object).is_some_and(|late| late < now) {
        Freshness::Stale(refreshed)
    } else {
        Freshness::Fresh
    }
}

/// When an object that is synced counts as stale, unless a refresh is noted before.
pub fn stale_after(object: &ExternalSecret) -> Option<Timestamp> {
    let status = object.status.as_ref()?;
    let refreshed = status.refresh_time.as_ref()?.0;
    let noted = status.next_update_time.as_ref().map(|time| time.0);
    let deadline = noted.or_else(|| {
        let period = lockstep_plan::external_secret::period(object)?;
        let period = SignedDuration::try_from(period).ok()?;
        refreshed
            .checked_add(period * 2)
            .ok()?
            .checked_add(NOTES)
            .ok()
    });
    deadline.and_then(|deadline| deadline.checked_add(GRACE).ok())
}

/// The refresh interval as it is in force.
pub fn interval(object: &ExternalSecret) -> &str {
    object.spec.refresh_interval.as_deref().unwrap_or("1h")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(status: serde_json::Value) -> ExternalSecret {
        let object = json!({
            "metadata": {"name": "db", "namespace": "a"},
            "spec": {"refreshInterval": "1h"},
            "status": status,
        });
        serde_json::from_value(object).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_note_that_is_overdue_makes_an_object_stale() {
        let object = object(json!({
            "refreshTime": "2026-01-01T10:00:00Z",
            "nextUpdateTime": "2026-01-01T11:00:00Z",
            "conditions": [{"type": "Ready", "status": "True"}],
        }));

        assert_eq!(
            freshness(&object, at("2026-01-01T11:01:00Z")),
            Freshness::Fresh
        );
        assert_eq!(
            freshness(&object, at("2026-01-01T12:00:00Z")),
            Freshness::Stale(at("2026-01-01T10:00:00Z"))
        );
    }

    #[test]
    fn without_such_a_note_two_intervals_are_granted() {
        let object = object(json!({
            "refreshTime": "2026-01-01T10:00:00Z",
            "conditions": [{"type": "Ready", "status": "True"}],
        }));

        assert_eq!(
            freshness(&object, at("2026-01-01T12:10:00Z")),
            Freshness::Fresh
        );
        assert!(matches!(
            freshness(&object, at("2026-01-01T12:30:00Z")),
            Freshness::Stale(_)
        ));
    }

    #[test]
    fn a_failed_sync_is_not_merely_stale() {
        let object = object(json!({"conditions": [{"type": "Ready", "status": "False"}]}));

        assert_eq!(
            freshness(&object, at("2026-01-01T12:10:00Z")),
            Freshness::Failing
        );
    }
}
