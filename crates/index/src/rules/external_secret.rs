//! ExternalSecrets: one that changed is requeued; one that is gone is forgotten everywhere.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lockstep_api::{ClusterExternalSecret, ExternalSecret};

use crate::index::Index;
use crate::inputs_of;
use crate::key::ObjectKey;
use crate::rows::{Child, Reader, RowChange};
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wake, Wakes};

impl Index {
    /// Requeues one that changed, and forgets one that is gone.
    pub fn external_secret_seen(&self, seen: Seen<ExternalSecret>, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        match seen {
            Seen::ListBegins => self.external_secrets().begin_list(),
            Seen::Applied(object) => {
                let inputs = inputs_of::of_external_secret(&object);
                let child = Child::of::<ClusterExternalSecret>(&object.metadata);
                let (key, change) = self.external_secrets().apply(*object, now);
                wakes.extend(self.child_seen::<ClusterExternalSecret>(&key, child, change));
                if change != RowChange::Same {
                    let reader = Reader::ExternalSecret(key.clone());
                    wakes.extend(self.inputs_named(&reader, inputs));
                    wakes.now(Queued::ExternalSecret(key), Trigger::Changed);
                }
            }
            Seen::Deleted(object) => {
                let key = ObjectKey::of(&object.metadata);
                self.external_secrets().remove(&key);
                wakes.extend(self.external_secret_gone(key));
            }
            Seen::ListEnds => {
                let gone = self.external_secrets().end_list();
                for key in gone {
                    wakes.extend(self.external_secret_gone(key));
                }
            }
        }
        wakes
    }

    /// Takes the answer to a write of the status. A change by somebody else that it shows is worth a
    /// reconcile.
    pub fn external_secret_answered(&self, object: ExternalSecret, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        let answered = self.external_secrets().answered(object, now);
        if let Some((key, RowChange::Changed)) = answered {
            wakes.now(Queued::ExternalSecret(key), Trigger::Changed);
        }
        wakes
    }

    /// Requeues objects because something they read from changed. Answers to reads that began before
    /// `asked` are too old for them.
    pub fn inputs_changed(&self, keys: Vec<ObjectKey>, asked: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        for key in keys {
            self.external_secrets().ask(&key, asked, true);
            wakes.now(Queued::ExternalSecret(key), Trigger::InputChanged);
        }
        wakes
    }

    /// Requeues objects that are not ready, without the backoff of earlier failures.
    pub(super) fn retry_external_secrets(
        &self,
        keys: Vec<ObjectKey>,
        trigger: Trigger,
        now: Timestamp,
    ) -> Wakes {
        let mut wakes = Wakes::default();
        for key in keys {
            self.external_secrets().ask(&key, now, false);
            wakes.retry(Queued::ExternalSecret(key), trigger);
        }
        wakes
    }

    fn external_secret_gone(&self, key: ObjectKey) -> Wakes {
        let reader = Reader::ExternalSecret(key.clone());
        let mut wakes = self.inputs_named(&reader, BTreeSet::new());
        self.object_gone(key.namespace());
        wakes.extend(self.child_gone::<ClusterExternalSecret>(&key));
        wakes.push(Wake::Forget(Queued::ExternalSecret(key)));
        wakes
    }

    /// Drops what is kept for the callers of a namespace once it has no objects any more.
    pub fn object_gone(&self, namespace: &str) {
        let used = self.external_secrets().any_in(namespace);
        if used || self.push_secrets().any_in(namespace) {
            return;
        }
        self.inputs().remove_caller(namespace);
        self.namespaces().unused(namespace);
    }
}
