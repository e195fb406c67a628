//! PushSecrets: one that changed is requeued, and so are stores whose finalizer is no longer right.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::{ClusterPushSecret, PushSecret};
use lockstep_plan::{StoreKey, StoreView};

use crate::index::Index;
use crate::inputs_of;
use crate::key::ObjectKey;
use crate::rows::{Child, PushSecrets, Reader, RowChange};
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wake, Wakes, spread};

/// Time between the reconciles of two users of a store that changed.
pub(super) const BETWEEN_USERS: SignedDuration = SignedDuration::from_millis(2);

impl Index {
    /// Requeues one that changed, and forgets one that is gone.
    pub fn push_secret_seen(&self, seen: Seen<PushSecret>) -> Wakes {
        let mut wakes = Wakes::default();
        match seen {
            Seen::ListBegins => self.push_secrets().begin_list(),
            Seen::Applied(object) => {
                let inputs = inputs_of::of_push_secret(&object);
                let child = Child::of::<ClusterPushSecret>(&object.metadata);
                let key = ObjectKey::of(&object.metadata);
                let ((_, change), stores) = self.noting_stores(&key, |rows| rows.apply(*object));
                wakes.extend(stores);
                wakes.extend(self.child_seen::<ClusterPushSecret>(&key, child, change));
                if change != RowChange::Same {
                    wakes.extend(self.inputs_named(&Reader::PushSecret(key.clone()), inputs));
                    wakes.now(Queued::PushSecret(key), Trigger::Changed);
                }
            }
            Seen::Deleted(object) => {
                let key = ObjectKey::of(&object.metadata);
                let ((), stores) = self.noting_stores(&key, |rows| rows.remove(&key));
                wakes.extend(stores);
                wakes.extend(self.push_secret_gone(key));
            }
            Seen::ListEnds => {
                let gone = self.push_secrets().end_list();
                for key in gone {
                    wakes.extend(self.push_secret_gone(key));
                }
                wakes.extend(self.all_finalizers());
            }
        }
        wakes
    }

    /// Takes the answer to a patch of the finalizers, which is our own change.
    pub fn push_secret_patched(&self, object: PushSecret) -> Wakes {
        let key = ObjectKey::of(&object.metadata);
        let (_, stores) = self.noting_stores(&key, |rows| rows.answered(object));
        stores
    }

    /// Takes the answer to a write of the status. A change by somebody else that it shows is worth a
    /// reconcile.
    pub fn push_secret_answered(&self, object: PushSecret) -> Wakes {
        let key = ObjectKey::of(&object.metadata);
        let (answered, mut wakes) = self.noting_stores(&key, |rows| rows.answered(object));
        if let Some((key, RowChange::Changed)) = answered {
            wakes.now(Queued::PushSecret(key), Trigger::Changed);
        }
        wakes
    }

    /// Changes the row of an object and requeues stores whose finalizer is no longer right then.
    fn noting_stores<T>(
        &self,
        key: &ObjectKey,
        change: impl FnOnce(&mut PushSecrets) -> T,
    ) -> (T, Wakes) {
        let mut rows = self.push_secrets();
        let before = rows.keeps_stores(key);
        let changed = change(&mut rows);
        let after = rows.keeps_stores(key);
        drop(rows);
        let wakes = self.finalizers_changed(before.as_ref(), after.as_ref());
        (changed, wakes)
    }

    fn push_secret_gone(&self, key: ObjectKey) -> Wakes {
        let mut wakes = self.inputs_named(&Reader::PushSecret(key.clone()), BTreeSet::new());
        self.object_gone(key.namespace());
        wakes.extend(self.child_gone::<ClusterPushSecret>(&key));
        wakes.push(Wake::Forget(Queued::PushSecret(key)));
        wakes
    }

    /// Requeues an object because something it reads from changed.
    pub(super) fn push_input_changed(&self, key: ObjectKey) -> Wakes {
        let mut wakes = Wakes::default();
        self.push_secrets().input_changed(&key);
        wakes.retry(Queued::PushSecret(key), Trigger::InputChanged);
        wakes
    }

    /// Requeues those who read a Secret by labels; without labels it is gone.
    pub(super) fn labelled_secret_changed(
        &self,
        secret: &ObjectKey,
        labels: Option<&BTreeMap<String, String>>,
    ) -> Wakes {
        let readers = self.push_secrets().selecting(secret, labels);
        let wakes = readers.into_iter();
        wakes.flat_map(|key| self.push_input_changed(key)).collect()
    }

    /// Requeues everyone who pushes to a store that works otherwise than before.
    pub(super) fn pushers_of(&self, store: &StoreKey, trigger: Trigger, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        let Some(view) = self.view_of(store) else {
            return wakes;
        };
        let users = self.push_secrets().users_of(&view);
        for (key, at) in users.into_iter().zip(spread(now, BETWEEN_USERS)) {
            self.push_secrets().input_changed(&key);
            wakes.at(Queued::PushSecret(key), at, trigger);
        }
        wakes
    }

    /// Requeues everyone who pushes to a store that is being deleted: they say that nothing is pushed
    /// any more.
    pub(super) fn pushers_told(&self, store: &StoreKey) -> Wakes {
        let mut wakes = Wakes::default();
        if let Some(view) = self.view_of(store) {
            let users = self.push_secrets().users_of(&view);
            for key in users {
                wakes.retry(Queued::PushSecret(key), Trigger::StoreChanged);
            }
        }
        wakes
    }

    /// Requeues those who push to a store and are not ready.
    pub(super) fn pushers_waiting_on(&self, store: &StoreKey, trigger: Trigger) -> Wakes {
        let mut wakes = Wakes::default();
        if let Some(view) = self.view_of(store) {
            let waiting = self.push_secrets().waiting_on(&view);
            for key in waiting {
                wakes.retry(Queued::PushSecret(key), trigger);
            }
        }
        wakes
    }

    fn view_of(&self, store: &StoreKey) -> Option<Arc<StoreView>> {
        let record = self.stores().get(store)?;
        Some(Arc::clone(&record.view))
    }
}
