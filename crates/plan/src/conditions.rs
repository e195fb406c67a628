//! How a condition enters a status: upstream's setter. An equal condition changes nothing; a
//! changed one goes to the end of the list and keeps its transition time while its status stays.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_api::conditions::{Condition, FALSE, READY, TRUE};

use crate::failure::Failure;

/// A Ready condition without a time.
pub fn ready(status: bool, reason: &str, message: impl Into<String>) -> Condition {
    Condition {
        type_: READY.to_owned(),
        status: if status { TRUE } else { FALSE }.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.into()),
        last_transition_time: None,
    }
}

/// Puts a condition into the list; says whether anything changed.
pub fn set(conditions: &mut Vec<Condition>, mut wanted: Condition, now: Timestamp) -> bool {
    let present = Condition::find(conditions, &wanted.type_);
    if present.is_some_and(|present| says_the_same(present, &wanted)) {
        return false;
    }
    wanted.last_transition_time = present
        .filter(|present| present.status == wanted.status)
        .and_then(|present| present.last_transition_time.clone())
        .or_else(|| Some(seconds(now)));
    conditions.retain(|condition| condition.type_ != wanted.type_);
    conditions.push(wanted);
    true
}

/// Whether the Ready condition holds; `None` when there is none.
pub fn is_ready(conditions: &[Condition]) -> Option<bool> {
    Condition::find(conditions, READY).map(Condition::is_true)
}

/// Reason of the Ready condition.
pub fn ready_reason(conditions: &[Condition]) -> Option<&str> {
    Condition::find(conditions, READY)?.reason.as_deref()
}

/// What a Ready condition is to say of a failure. While a store is not even asked, what that store
/// answered last says more than that it is not asked.
pub(crate) fn failure_message(conditions: &[Condition], failure: &Failure) -> String {
    let told = Condition::find(conditions, READY)
        .filter(|told| failure.is_unasked() && !told.is_true())
        .and_then(|told| told.message.as_deref())
        .filter(|message| message.contains(failure.cause()) && names_store(message, failure));
    told.map_or_else(|| failure.condition_message(), str::to_owned)
}

/// Whether a message names the store of a failure, in the words of a read or of a push.
fn names_store(message: &str, failure: &Failure) -> bool {
    failure.store().is_some_and(|store| {
        message.contains(&store.to_string())
            || message.contains(&format!("secretstore {}:", store.name))
    })
}

/// A time as it is kept in an object: whole seconds.
pub fn seconds(at: Timestamp) -> Time {
    Time(Timestamp::from_second(at.as_second()).unwrap_or(at))
}

fn says_the_same(one: &Condition, other: &Condition) -> bool {
    one.status == other.status && one.reason == other.reason && one.message == other.message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn an_equal_condition_changes_nothing() {
        let mut conditions = Vec::new();
        set(
            &mut conditions,
            ready(true, "SecretSynced", "secret synced"),
            at(1),
        );

        let changed = set(
            &mut conditions,
            ready(true, "SecretSynced", "secret synced"),
            at(2),
        );

        assert!(!changed);
        assert_eq!(conditions[0].last_transition_time, Some(seconds(at(1))));
    }

    #[test]
    fn a_new_message_keeps_the_transition_time_and_moves_to_the_end() {
        let mut conditions = Vec::new();
        set(
            &mut conditions,
            ready(false, "SecretSyncedError", "one"),
            at(1),
        );
        conditions.push(Condition {
            type_: "Stalled".to_owned(),
            ..Condition::default()
        });

        set(
            &mut conditions,
            ready(false, "SecretSyncedError", "two"),
            at(2),
        );

        assert_eq!(conditions[1].message.as_deref(), Some("two"));
        assert_eq!(conditions[1].last_transition_time, Some(seconds(at(1))));
    }

    #[test]
    fn a_new_status_gets_a_new_transition_time() {
        let mut conditions = Vec::new();
        set(
            &mut conditions,
            ready(false, "SecretSyncedError", "one"),
            at(1),
        );

        set(
            &mut conditions,
            ready(true, "SecretSynced", "secret synced"),
            at(2),
        );

        assert_eq!(conditions.len(), 1);
        assert_eq!(conditions[0].last_transition_time, Some(seconds(at(2))));
    }
}
