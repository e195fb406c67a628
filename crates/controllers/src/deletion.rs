//! The shell of the deletion guard: asks it with what the index knows, and tells of stores whose
//! deletions are held. When to hold is decided in `lockstep-scheduling`.

mod sample;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::keys::ANNOTATION_ALLOW_MASS_DELETION;
use lockstep_plan::{EventNote, StoreKey};
use lockstep_reconcile::Deletion;
use lockstep_remote::StoreRecord;
use lockstep_scheduling::deletion::{Absence, Guard, Sight, Verdict};

use crate::events::about_store;
use crate::shared::Shared;
use lockstep_index::ObjectKey;

/// Reason of the event on the store.
const REASON: &str = "DeletionHeld";
/// Time to the next look while a sample is under way; its end wakes the object sooner.
const UNDER_WAY: SignedDuration = SignedDuration::from_secs(60);

/// The guard, if it is on.
pub(crate) struct DeletionGuard(Option<Mutex<Guard<StoreKey, ObjectKey>>>);

impl DeletionGuard {
    pub(crate) fn new(on: bool) -> Self {
        Self(on.then(Mutex::default))
    }

    /// Stores whose deletions are held, with the number of absent objects.
    pub(crate) fn held(&self) -> Vec<(StoreKey, usize)> {
        let Some(guard) = self.locked() else {
            return Vec::new();
        };
        let held = guard.held();
        held.map(|(store, absent)| (store.clone(), absent))
            .collect()
    }

    /// Forgets an object's absence: its secrets are there.
    pub(crate) fn present(&self, key: &ObjectKey, stores: &[StoreKey], now: Timestamp) {
        if let Some(mut guard) = self.locked() {
            for store in stores {
                if guard.present(store, key, now) {
                    tracing::info!(%store, "deletions are no longer held: secrets are back");
                }
            }
        }
    }

    /// Forgets an object that is gone.
    pub(crate) fn gone(&self, key: &ObjectKey) {
        if let Some(mut guard) = self.locked() {
            guard.gone(key);
        }
    }

    /// Whether nothing is absent: the usual case, in which nothing has to be looked up.
    pub(crate) fn is_idle(&self) -> bool {
        self.locked().is_none_or(|guard| guard.is_empty())
    }

    /// Forgets a store.
    pub(crate) fn forget(&self, store: &StoreKey) {
        if let Some(mut guard) = self.locked() {
            guard.forget(store);
        }
    }

    fn sampled(&self, store: &StoreKey, key: &ObjectKey, sight: Sight, now: Timestamp) {
        if let Some(mut guard) = self.locked() {
            guard.sampled(store, key, sight, now);
        }
    }

    fn sample_ended(&self, store: &StoreKey) -> BTreeSet<ObjectKey> {
        let guard = self.locked();
        guard.map_or_else(BTreeSet::new, |mut guard| guard.sample_ended(store))
    }

    fn locked(&self) -> Option<MutexGuard<'_, Guard<StoreKey, ObjectKey>>> {
        let guard = self.0.as_ref()?;
        Some(guard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Asks whether an object that is refreshed every `interval` may lose data for want of remote secrets.
pub(crate) fn ask(
    shared: &Shared,
    (key, interval): (&ObjectKey, Duration),
    stores: &BTreeSet<StoreKey>,
) -> Deletion {
    let now = shared.now();
    let mut answer = Deletion::Allowed;
    for store in stores {
        let Some(record) = shared.index.stores().get(store) else {
            continue;
        };
        if is_released(&record) {
            shared.deletions.forget(store);
            continue;
        }
        let absence = Absence {
            users: shared.index.external_secrets().users_of(store),
            interval,
        };
        answer = match (answer, weigh(shared, (&record, key), absence, now)) {
            (_, Deletion::Held(store)) => return Deletion::Held(store),
            (Deletion::LookAgain(one), Deletion::LookAgain(other)) => {
                Deletion::LookAgain(one.max(other))
            }
            (_, Deletion::LookAgain(at)) => Deletion::LookAgain(at),
            (answer, Deletion::Allowed) => answer,
        };
    }
    answer
}

/// Asks the guard about one store, and looks at others where it wants that.
fn weigh(
    shared: &Shared,
    (store, key): (&Arc<StoreRecord>, &ObjectKey),
    absence: Absence,
    now: Timestamp,
) -> Deletion {
    let verdict = |exhausted: bool| {
        let mut guard = shared.deletions.locked()?;
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
            tell(shared, store);
        }
        Some((verdict, seen))
    };
    let Some((mut told, seen)) = verdict(false) else {
        return Deletion::Allowed;
    };
    if let Verdict::Sample(number) = told {
        let picked = sample::pick(shared, &store.key, (number, key), &seen);
        if picked.is_empty() {
            told = verdict(true).map_or(Verdict::Allowed, |(verdict, _)| verdict);
        } else {
            sample::start(shared, Arc::clone(store), picked);
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

/// Whether someone said on the store that its deletions are meant.
fn is_released(store: &StoreRecord) -> bool {
    let annotations = store.metadata.annotations.as_ref();
    annotations
        .and_then(|annotations| annotations.get(ANNOTATION_ALLOW_MASS_DELETION))
        .is_some_and(|value| value == "true")
}

/// Tells again that a store's deletions are held; called at each check of the store.
pub(crate) fn remind(shared: &Shared, store: &StoreRecord) {
    let held = shared.deletions.locked();
    if held.is_some_and(|guard| guard.is_held(&store.key)) {
        if is_released(store) {
            shared.deletions.forget(&store.key);
        } else {
            tell(shared, store);
        }
    }
}

fn tell(shared: &Shared, store: &StoreRecord) {
    let text = format!(
        "many secrets vanished at once, so no Secret is deleted; if it is meant, annotate this \
         store with {ANNOTATION_ALLOW_MASS_DELETION}=\"true\""
    );
    tracing::warn!(store = %store.key, "deletions are held: many secrets vanished at once");
    about_store(&shared.recorders, store, &EventNote::warning(REASON, text));
}
