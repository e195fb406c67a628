//! Stores: one that changed is checked, and its users are requeued as far as the change concerns them.

use jiff::Timestamp;
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{StoreKey, StoreKind};
use lockstep_scheduling::limits::release_times;

use super::push_secret::BETWEEN_USERS;
use crate::index::Index;
use crate::key::ObjectKey;
use crate::rows::{Reader, StoreChange};
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wake, Wakes, spread};

impl Index {
    /// Requeues a store that changed and those who use it, and forgets one that is gone.
    pub fn store_seen(&self, kind: StoreKind, seen: Seen<StoreRecord>, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        match seen {
            Seen::ListBegins => self.stores().begin_list(kind),
            Seen::Applied(record) => {
                let (key, change) = self.stores().apply(*record);
                wakes = self.store_changed(key, change, now);
            }
            Seen::Deleted(record) => wakes = self.store_gone(record.key),
            Seen::ListEnds => {
                let gone = self.stores().end_list(kind);
                for key in gone {
                    wakes.extend(self.store_gone(key));
                }
            }
        }
        wakes
    }

    /// Takes the answer to a write of the status.
    pub fn store_answered(&self, record: StoreRecord, now: Timestamp) -> Wakes {
        let answered = self.stores().answered(record);
        match answered {
            Some((key, change)) => self.store_changed(key, change, now),
            None => Wakes::default(),
        }
    }

    fn store_changed(&self, key: StoreKey, change: StoreChange, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        if change.run {
            // Before anyone is requeued: whoever runs now had better wait for what the check says.
            let mut stores = self.stores();
            stores.check_asked(&key, now);
            if change.new_spec {
                stores.spec_changed(&key, now);
            }
        }
        if change.wakes_users() {
            let waiting = self.external_secrets().waiting_on(&key);
            wakes.extend(self.retry_external_secrets(waiting, Trigger::StoreReady, now));
            wakes.extend(self.pushers_waiting_on(&key, Trigger::StoreReady));
        }
        if change.new_spec {
            // What was learned through the old spec no longer counts.
            wakes.push(Wake::DropReads(key.clone()));
            self.inputs().remove_store(&key);
            wakes.extend(self.users_of_store(&key, Trigger::StoreChanged, now));
        }
        if change.deleting {
            wakes.extend(self.pushers_told(&key));
        }
        if change.new_spec || change.became_ready {
            wakes.extend(self.pushers_of(&key, Trigger::StoreChanged, now));
        }
        if change.run {
            wakes.now(Queued::Store(key), Trigger::Changed);
        }
        wakes
    }

    fn store_gone(&self, key: StoreKey) -> Wakes {
        self.stores().remove(&key);
        self.inputs().remove_store(&key);
        [Wake::Forget(Queued::Store(key))].into_iter().collect()
    }

    /// Requeues those who waited for the end of a check.
    pub fn store_checked(&self, key: &StoreKey) -> Wakes {
        let mut wakes = Wakes::default();
        let held = self.stores().check_ended(key);
        for user in held {
            match user {
                Reader::ExternalSecret(key) => {
                    wakes.now(Queued::ExternalSecret(key), Trigger::StoreReady);
                }
                Reader::PushSecret(key) => wakes.now(Queued::PushSecret(key), Trigger::StoreReady),
                Reader::Store(..) => {}
            }
        }
        wakes
    }

    /// Checks a store that cannot be reached or refuses its credentials, so that its condition says so.
    pub fn store_troubled(&self, key: &StoreKey) -> Wakes {
        let mut wakes = Wakes::default();
        wakes.now(Queued::Store(key.clone()), Trigger::StoreTroubled);
        wakes
    }

    /// Checks a store that answers again, and requeues those who wait for it, spread over a few
    /// seconds.
    pub fn store_recovered(&self, key: &StoreKey, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        wakes.now(Queued::Store(key.clone()), Trigger::StoreRecovered);
        let waiting = self.external_secrets().waiting_on(key);
        let times = release_times(now, waiting.len());
        for (key, at) in waiting.into_iter().zip(times) {
            self.external_secrets().ask(&key, now, false);
            wakes.retry_at(Queued::ExternalSecret(key), at, Trigger::StoreRecovered);
        }
        wakes.extend(self.pushers_waiting_on(key, Trigger::StoreRecovered));
        wakes
    }

    /// Checks a store whose credentials changed, for the callers of one namespace or for all, and
    /// requeues those who read through it.
    pub(super) fn credential_changed(
        &self,
        store: StoreKey,
        caller: Option<&str>,
        now: Timestamp,
    ) -> Wakes {
        let trigger = Trigger::CredentialChanged;
        let mut wakes = Wakes::default();
        wakes.push(Wake::Reconnect(store.clone()));
        let users = self.external_secrets().store_changed(&store, now);
        let concerned = |key: &ObjectKey| caller.is_none_or(|caller| key.namespace() == caller);
        let users = users.into_iter().filter(concerned);
        for (key, at) in users.zip(spread(now, BETWEEN_USERS)) {
            wakes.at(Queued::ExternalSecret(key), at, trigger);
        }
        wakes.extend(self.pushers_waiting_on(&store, trigger));
        wakes.now(Queued::Store(store), trigger);
        wakes
    }

    /// Requeues everyone who reads through a store, spread so that it is not flooded.
    fn users_of_store(&self, store: &StoreKey, trigger: Trigger, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        let users = self.external_secrets().store_changed(store, now);
        for (key, at) in users.into_iter().zip(spread(now, BETWEEN_USERS)) {
            wakes.at(Queued::ExternalSecret(key), at, trigger);
        }
        wakes
    }
}
