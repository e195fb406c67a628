//! Whether a store that is missing, was not checked yet, or does not admit the namespace, or may not
//! for want of the namespace's labels, is worth a condition yet: each of them may be seen a moment after
//! a new object.
//! Decides about that moment only.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lockstep_api::conditions::Condition;

use crate::cause::Cause;
use crate::failure::Failure;
use crate::settings::Settings;

/// When a new object is to be run again instead of telling what is wrong with its store; `None` if the
/// failure is to be told.
pub(crate) fn store_may_come(
    meta: &ObjectMeta,
    conditions: &[Condition],
    failure: &Failure,
    settings: &Settings,
    now: Timestamp,
) -> Option<Timestamp> {
    let unseen = [
        Cause::STORE_NOT_FOUND,
        Cause::STORE_DENIED,
        Cause::NAMESPACE_UNKNOWN,
    ];
    let unseen = unseen.map(Cause::as_str).contains(&failure.cause()) || failure.awaits_check();
    if !unseen || !conditions.is_empty() {
        return None;
    }
    let created = meta.creation_timestamp.as_ref()?.0;
    let until = created.checked_add(settings.store_patience).ok()?;
    // An API server whose clock is ahead must not hold up anything.
    (created <= now && now < until).then_some(until)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;
    use crate::testing::noon;

    fn later(seconds: i64) -> Timestamp {
        noon() + SignedDuration::from_secs(seconds)
    }

    fn asked(cause: Cause, conditions: &[Condition], now: Timestamp) -> Option<Timestamp> {
        let meta = ObjectMeta {
            creation_timestamp: Some(Time(noon())),
            ..ObjectMeta::default()
        };
        let (failure, settings) = (Failure::worded(cause, "no"), Settings::default());
        store_may_come(&meta, conditions, &failure, &settings, now)
    }

    #[test]
    fn a_new_object_waits_for_its_store_and_then_tells() {
        let unseen = [
            Cause::STORE_NOT_FOUND,
            Cause::STORE_DENIED,
            Cause::NAMESPACE_UNKNOWN,
        ];
        for cause in unseen {
            assert_eq!(asked(cause, &[], noon()), Some(later(3)));
            assert_eq!(asked(cause, &[], later(2)), Some(later(3)));
            assert_eq!(asked(cause, &[], later(3)), None);
        }
    }

    #[test]
    fn a_store_that_was_not_checked_yet_is_no_news_but_one_that_failed_is() {
        let meta = ObjectMeta {
            creation_timestamp: Some(Time(noon())),
            ..ObjectMeta::default()
        };
        let settings = Settings::default();
        let unready = || Failure::worded(Cause::STORE_NOT_READY, "not ready");
        let held = |failure: Failure| store_may_come(&meta, &[], &failure, &settings, noon());

        assert_eq!(held(unready().awaiting_check()), Some(later(3)));
        assert_eq!(held(unready()), None);
    }

    #[test]
    fn nothing_else_is_held_back() {
        let told = crate::conditions::ready(false, "SecretSyncedError", "before");

        assert_eq!(asked(Cause::INVALID_SPEC, &[], noon()), None);
        assert_eq!(asked(Cause::STORE_NOT_FOUND, &[told], noon()), None);
        assert_eq!(asked(Cause::STORE_NOT_FOUND, &[], later(-5)), None);
    }
}
