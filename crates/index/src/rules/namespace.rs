//! Namespaces: new labels may admit objects to a cluster store or shut them out, and may select the
//! namespace for a ClusterExternalSecret.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::index::Index;
use crate::rows::Labels;
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wake, Wakes};

impl Index {
    /// Requeues those for whom the labels of a namespace matter, or that it is there.
    pub fn namespace_seen(&self, seen: Seen<ObjectMeta>, now: Timestamp) -> Wakes {
        match seen {
            Seen::ListBegins => {
                self.namespaces().begin_list();
                Wakes::default()
            }
            Seen::Applied(metadata) => self.namespace_applied(*metadata, now),
            Seen::Deleted(metadata) => {
                let name = metadata.name.unwrap_or_default();
                let labels = self.namespaces().remove(&name);
                self.selected_namespace_changed(&name, labels.as_slice())
            }
            Seen::ListEnds => {
                self.namespaces().end_list();
                Wakes::default()
            }
        }
    }

    fn namespace_applied(&self, metadata: ObjectMeta, now: Timestamp) -> Wakes {
        let mut wakes = Wakes::default();
        let name = metadata.name.clone().unwrap_or_default();
        let mut rows = self.namespaces();
        let change = rows.apply(metadata);
        let (listed, labels) = (rows.is_listed(), rows.labels(&name));
        drop(rows);
        // Reconciles may have begun without a full list and refused its objects.
        if change.awaited || listed && change.labels {
            wakes.extend(self.labels_changed(&name, now));
        }
        if listed && (change.labels || change.life) {
            let labels: Vec<Labels> = change.before.into_iter().chain(labels).collect();
            wakes.extend(self.selected_namespace_changed(&name, &labels));
        }
        wakes
    }

    /// Requeues those who wait in a namespace, and has those who share reads look for themselves.
    fn labels_changed(&self, namespace: &str, now: Timestamp) -> Wakes {
        let trigger = Trigger::NamespaceChanged;
        let (waiting, ready) = self.external_secrets().in_namespace(namespace);
        let mut wakes = self.retry_external_secrets(waiting, trigger, now);
        let pushers = self.push_secrets().waiting_in(namespace);
        for key in pushers {
            wakes.retry(Queued::PushSecret(key), trigger);
        }
        wakes.extend(ready.into_iter().map(Wake::LeaveSharedReads));
        wakes
    }
}
