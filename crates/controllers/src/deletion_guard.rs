//! The shell of the deletion guard: asks it with what the index knows, and reports stores whose
//! deletions are held. When to hold is decided in `lockstep-scheduling`.

mod sample;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::keys::ANNOTATION_ALLOW_MASS_DELETION;
use lockstep_index::ObjectKey;
use lockstep_plan::{EventNote, StoreKey};
use lockstep_reconcile::external_secret::{Deletion, is_released};
use lockstep_remote::StoreRecord;
use lockstep_scheduling::deletion::{Absence, Verdict};

use crate::context::Context;

/// Reason of the event on the store.
const REASON: &str = "DeletionHeld";
/// Time to the next look while a sample is under way; its end wakes the object sooner.
const UNDER_WAY: SignedDuration = SignedDuration::from_secs(60);

/// Asks whether an object that is refreshed every `interval` may lose data for want of remote secrets.
pub(crate) fn ask(
    context: &Arc<Context>,
    (key, interval): (&ObjectKey, Duration),
    stores: &BTreeSet<StoreKey>,
) -> Deletion {
    let now = context.now();
    let mut answer = Deletion::Allowed;
    for store in stores {
        let Some(record) = context.index.stores().get(store) else {
            continue;
        };
        if is_released(&record) {
            context.schedule.deletions.forget(store);
            continue;
        }
        let absence = Absence {
            users: context.index.external_secrets().users_of(store),
            interval,
        };
        answer = answer.and(weigh(context, (&record, key), absence, now));
        if matches!(answer, Deletion::Held(_)) {
            return answer;
        }
    }
    answer
}

/// Asks the guard about one store, and looks at others where it wants that.
fn weigh(
    context: &Arc<Context>,
    (store, key): (&Arc<StoreRecord>, &ObjectKey),
    absence: Absence,
    now: Timestamp,
) -> Deletion {
    let verdict = |exhausted: bool| {
        let mut guard = context.schedule.deletions.locked()?;
        if exhausted {
            guard.exhausted(&store.key, now);
        }
        let before = guard.is_held(&store.key);
        let verdict = guard.absent(&store.key, key, absence, now);
        let seen = match verdict {
            Verdict::Sample(_) => guard.seen_since(&store.key, key, now),
            _ => BTreeSet::new(),
        };
        drop(guard);
        if verdict == Verdict::Held && !before {
            tell(context, store);
        }
        Some((verdict, seen))
    };
    let Some((mut told, seen)) = verdict(false) else {
        return Deletion::Allowed;
    };
    if let Verdict::Sample(number) = told {
        let picked = sample::pick(context, &store.key, (number, key), &seen);
        if picked.is_empty() {
            told = verdict(true).map_or(Verdict::Allowed, |(verdict, _)| verdict);
        } else {
            sample::start(context, Arc::clone(store), picked);
        }
    }
    match told {
        Verdict::Allowed => Deletion::Allowed,
        Verdict::Held => Deletion::Held(store.key.clone()),
        Verdict::LookAgain(at) => Deletion::LookAgain(at),
        Verdict::Sample(_) => {
            Deletion::LookAgain(now.saturating_add(UNDER_WAY).unwrap_or(Timestamp::MAX))
        }
    }
}

/// Notes that the remote secrets of an object are there.
pub(crate) fn note_present(context: &Context, key: &ObjectKey) {
    let deletions = &context.schedule.deletions;
    if !deletions.is_idle() {
        let stores = context.index.external_secrets().stores_named(key);
        deletions.present(key, &stores, context.now());
    }
}

/// Tells again that a store's deletions are held; called at each check of the store.
pub(crate) fn remind(context: &Context, store: &StoreRecord) {
    let held = context.schedule.deletions.locked();
    if held.is_some_and(|guard| guard.is_held(&store.key)) {
        if is_released(store) {
            context.schedule.deletions.forget(&store.key);
        } else {
            tell(context, store);
        }
    }
}

fn tell(context: &Context, store: &StoreRecord) {
    let text = format!(
        "many secrets vanished at once, so no Secret is deleted; if it is meant, annotate this \
         store with {ANNOTATION_ALLOW_MASS_DELETION}=\"true\""
    );
    tracing::warn!(store = %store.key.qualified(), "deletions are held: many secrets vanished at once");
    context
        .api
        .recorders
        .store(store, &EventNote::warning(REASON, text));
}
