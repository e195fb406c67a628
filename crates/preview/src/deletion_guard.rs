//! The operator's deletion guard over a scene: asks it with the objects as they would be, and keeps the looks
//! at other objects that it wants until nothing else runs. When to hold is decided in `lockstep-scheduling`.

mod look;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_index::ObjectKey;
use lockstep_plan::external_secret::{period, store_keys};
use lockstep_plan::{StoreKey, StoreLookup, conditions};
use lockstep_provider_api::context::Time;
use lockstep_reconcile::external_secret::{Deletion, is_released};
use lockstep_runtime::clock::SystemTime;
use lockstep_scheduling::deletion::{Absence, Guard, Verdict};
use parking_lot::Mutex;

use crate::objects::Objects;
use crate::scene::Scene;

/// The guard, and what it waits for.
pub(crate) struct DeletionGuard {
    /// Who reads through a store: those that are ready, and the others.
    users: BTreeMap<StoreKey, [Vec<ObjectKey>; 2]>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    guard: Guard<StoreKey, ObjectKey>,
    /// Objects to look at, by store.
    samples: BTreeMap<StoreKey, Vec<ObjectKey>>,
    /// Objects of which it cannot be told whether they may lose their data, with the store.
    undecided: BTreeMap<ObjectKey, StoreKey>,
    /// Objects that have their data and ran before the guard knew of an absence, by store.
    present: BTreeMap<StoreKey, BTreeSet<ObjectKey>>,
}

impl DeletionGuard {
    /// A guard over what is there with manifests laid over it.
    pub(crate) fn new(given: &Objects, present: &Objects) -> Self {
        let mut objects: BTreeMap<_, _> = present.external_secrets.iter().collect();
        objects.extend(&given.external_secrets);
        let mut users: BTreeMap<StoreKey, [Vec<ObjectKey>; 2]> = BTreeMap::new();
        for (key, object) in objects {
            for store in store_keys(object) {
                let place = usize::from(!is_ready(object));
                users.entry(store).or_default()[place].push(key.clone());
            }
        }
        Self {
            users,
            state: Mutex::default(),
        }
    }

    /// Asks about one store.
    fn weigh(&self, store: &StoreKey, object: &ExternalSecret, now: Timestamp) -> Deletion {
        let key = ObjectKey::of(&object.metadata);
        let users = self.users.get(store).map(Vec::from_iter);
        let absence = Absence {
            users: users.iter().flatten().map(|some| some.len()).sum(),
            interval: period(object).unwrap_or_default(),
        };
        let mut state = self.state.lock();
        let mut verdict = state.guard.absent(store, &key, absence, now);
        // A plan runs all objects at once. Without those that ran first, the sample would decide by chance.
        for other in state.present.remove(store).into_iter().flatten() {
            state.guard.present(store, &other, now);
        }
        if let Verdict::Sample(number) = verdict {
            let seen = state.guard.seen_since(store, &key, now);
            let picked = self.pick(store, number, &key, &seen);
            if picked.is_empty() {
                state.guard.exhausted(store, now);
                verdict = state.guard.absent(store, &key, absence, now);
            } else {
                state.samples.insert(store.clone(), picked);
            }
        }
        match verdict {
            Verdict::Allowed => Deletion::Allowed,
            Verdict::Held => Deletion::Held(store.clone()),
            Verdict::Sample(_) | Verdict::LookAgain(_) => {
                if !state.samples.contains_key(store) {
                    // Nothing is left to look at: the operator tries again later.
                    state.undecided.insert(key, store.clone());
                }
                Deletion::LookAgain(now)
            }
        }
    }

    /// Picks objects that read through a store, ready ones first, as the operator does.
    fn pick(
        &self,
        store: &StoreKey,
        number: usize,
        but: &ObjectKey,
        seen: &BTreeSet<ObjectKey>,
    ) -> Vec<ObjectKey> {
        let mut picked: Vec<&ObjectKey> = Vec::new();
        for users in self.users.get(store).into_iter().flatten() {
            let unseen = users
                .iter()
                .filter(|key| *key != but && !seen.contains(*key));
            picked.extend(fastrand::choose_multiple(unseen, number - picked.len()));
        }
        picked.into_iter().cloned().collect()
    }

    /// Objects of which it could not be told, with the store that cannot be read.
    pub(crate) fn take_undecided(&self) -> BTreeMap<ObjectKey, StoreKey> {
        std::mem::take(&mut self.state.lock().undecided)
    }
}

impl Scene {
    /// Asks whether an object may lose data because its remote secrets are absent from `stores`.
    pub(crate) fn may_lose(
        &self,
        object: &ExternalSecret,
        stores: &BTreeSet<StoreKey>,
    ) -> Deletion {
        let Some(deletions) = &self.deletions else {
            return Deletion::Allowed;
        };
        let now = SystemTime.now();
        let held = stores.iter().filter(|store| {
            let record = self.record(store);
            record.is_some_and(|record| !is_released(&record))
        });
        held.fold(Deletion::Allowed, |answer, store| {
            answer.and(deletions.weigh(store, object, now))
        })
    }

    /// Notes that the remote secrets of an object are there.
    pub(crate) fn has_its_data(&self, object: &ExternalSecret) {
        let Some(deletions) = &self.deletions else {
            return;
        };
        let key = ObjectKey::of(&object.metadata);
        let (mut state, now) = (deletions.state.lock(), SystemTime.now());
        for store in store_keys(object) {
            state.guard.present(&store, &key, now);
            let present = state.present.entry(store).or_default();
            present.insert(key.clone());
        }
    }
}

fn is_ready(object: &ExternalSecret) -> bool {
    let status = object.status.as_ref();
    status.and_then(|status| conditions::is_ready(&status.conditions)) == Some(true)
}
