//! The condition of a store that is being deleted and waits: which PushSecret holds its finalizer, and
//! what to do. The Ready condition stays what the check made it, because the store still works.

use jiff::Timestamp;
use lockstep_api::conditions::{Condition, STALLED, TRUE};
use lockstep_api::reasons;

use super::{StoreObject, StorePlan};
use crate::conditions::set;
use crate::event::EventNote;

/// Adds to a plan that the store waits for `holders`, named as `namespace/name` and in order.
pub fn block_deletion<'a>(
    mut plan: StorePlan,
    store: impl Into<StoreObject<'a>>,
    holders: &[String],
    now: Timestamp,
) -> StorePlan {
    let Some((first, others)) = holders.split_first() else {
        return plan;
    };
    let more = match others.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let text = format!(
        "the store is being deleted and waits for PushSecret {first}{more}, which may have to delete \
         what was pushed through it; delete the PushSecret, or set its deletionPolicy to None"
    );
    let old = || store.into().status.cloned().unwrap_or_default();
    let mut status = plan.status.clone().unwrap_or_else(old);
    let condition = Condition {
        type_: STALLED.to_owned(),
        status: TRUE.to_owned(),
        reason: Some(reasons::STORE_NEEDED.to_owned()),
        message: Some(text.clone()),
        last_transition_time: None,
    };
    if set(&mut status.conditions, condition, now) {
        plan.events
            .push(EventNote::warning(reasons::STORE_NEEDED, text));
        plan.status = Some(status);
    }
    plan
}

#[cfg(test)]
mod tests {
    use lockstep_api::SecretStore;
    use lockstep_provider_api::Error;

    use super::*;
    use crate::settings::Settings;
    use crate::store::{CheckOutcome, report};
    use crate::testing::{noon, ready_store};

    fn blocked(store: &SecretStore, holders: &[&str]) -> StorePlan {
        let outcome = CheckOutcome::NotConnected(Error::unreachable("away"));
        let plan = report(store, outcome, &Settings::default(), noon());
        let holders: Vec<String> = holders.iter().map(|&name| name.to_owned()).collect();
        block_deletion(plan, store, &holders, noon())
    }

    #[test]
    fn a_store_that_waits_names_who_holds_it_once() {
        let mut store = ready_store("s");

        let first = blocked(&store, &["ns/a", "ns/b", "ns/c"]);
        store.status.clone_from(&first.status);
        let again = blocked(&store, &["ns/a", "ns/b", "ns/c"]);

        let status = first.status.unwrap();
        let stalled = Condition::find(&status.conditions, STALLED).unwrap();
        let text = stalled.message.as_deref().unwrap();
        assert!(
            text.contains("waits for PushSecret ns/a and 2 more,"),
            "{text}"
        );
        assert_eq!(status.conditions.len(), 2);
        let told = |plan: &StorePlan| {
            let mut events = plan.events.iter();
            events.any(|event| event.reason == "NeededByPushSecret")
        };
        assert_eq!(again.status, None);
        assert!(!told(&again));
    }

    #[test]
    fn a_store_that_nobody_holds_says_nothing() {
        let plan = blocked(&ready_store("s"), &[]);

        let conditions = plan.status.unwrap().conditions;
        assert!(Condition::find(&conditions, STALLED).is_none());
    }
}
