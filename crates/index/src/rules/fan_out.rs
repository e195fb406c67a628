//! ClusterExternalSecrets and ClusterPushSecrets: requeued by their own changes, those of their
//! children, and those of namespaces.

use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};
use lockstep_plan::fan_out::Parent;
use parking_lot::MutexGuard;

use crate::index::Index;
use crate::key::ObjectKey;
use crate::rows::{Child, Labels, Parents, RowChange};
use crate::seen::Seen;
use crate::wake::{Queued, Trigger, Wake, Wakes};

/// A kind of parent: its table and its queue.
pub(super) trait Fan: Parent + Sized {
    fn rows(index: &Index) -> MutexGuard<'_, Parents<Self>>;
    fn queued(name: String) -> Queued;
}

impl Fan for ClusterExternalSecret {
    fn rows(index: &Index) -> MutexGuard<'_, Parents<Self>> {
        index.cluster_external_secrets()
    }

    fn queued(name: String) -> Queued {
        Queued::ClusterExternalSecret(name)
    }
}

impl Fan for ClusterPushSecret {
    fn rows(index: &Index) -> MutexGuard<'_, Parents<Self>> {
        index.cluster_push_secrets()
    }

    fn queued(name: String) -> Queued {
        Queued::ClusterPushSecret(name)
    }
}

impl Index {
    /// Requeues one that changed, and forgets one that is gone.
    pub fn cluster_external_secret_seen(&self, seen: Seen<ClusterExternalSecret>) -> Wakes {
        self.parent_seen(seen)
    }

    /// Requeues one that changed, and forgets one that is gone.
    pub fn cluster_push_secret_seen(&self, seen: Seen<ClusterPushSecret>) -> Wakes {
        self.parent_seen(seen)
    }

    fn parent_seen<P: Fan>(&self, seen: Seen<P>) -> Wakes {
        match seen {
            Seen::ListBegins => {
                P::rows(self).begin_list();
                Wakes::default()
            }
            Seen::Applied(object) => {
                let (name, change) = P::rows(self).apply(*object);
                let changed = (change != RowChange::Same).then_some(name);
                retry::<P>(changed, Trigger::Changed)
            }
            Seen::Deleted(object) => {
                let name = object.metadata().name.clone().unwrap_or_default();
                P::rows(self).remove(&name);
                forget::<P>([name])
            }
            Seen::ListEnds => {
                let gone = P::rows(self).end_list();
                forget::<P>(gone)
            }
        }
    }

    /// Requeues who controls a child that changed, and who did before.
    pub(super) fn child_seen<P: Fan>(
        &self,
        key: &ObjectKey,
        child: Option<Child>,
        change: RowChange,
    ) -> Wakes {
        let owner = child.as_ref().filter(|_| change != RowChange::Same);
        let owner = owner.map(|child| child.owner.clone());
        let former = P::rows(self).saw_child(key, child);
        retry::<P>(former.into_iter().chain(owner), Trigger::ChildChanged)
    }

    /// Requeues who controlled a child that is gone, and whom it was in the way of.
    pub(super) fn child_gone<P: Fan>(&self, key: &ObjectKey) -> Wakes {
        let mut rows = P::rows(self);
        let owner = rows.saw_child(key, None);
        let failed = rows.failed_in(key.namespace());
        drop(rows);
        retry::<P>(owner.into_iter().chain(failed), Trigger::ChildChanged)
    }

    /// Requeues who wants a namespace with one of these labels.
    pub(super) fn selected_namespace_changed(&self, name: &str, labels: &[Labels]) -> Wakes {
        let wanting = self.cluster_external_secrets().wanting(name, labels);
        let mut wakes = retry::<ClusterExternalSecret>(wanting, Trigger::NamespaceChanged);
        let wanting = self.cluster_push_secrets().wanting(name, labels);
        wakes.extend(retry::<ClusterPushSecret>(
            wanting,
            Trigger::NamespaceChanged,
        ));
        wakes
    }
}

fn retry<P: Fan>(names: impl IntoIterator<Item = String>, trigger: Trigger) -> Wakes {
    let mut wakes = Wakes::default();
    for name in names {
        wakes.retry(P::queued(name), trigger);
    }
    wakes
}

fn forget<P: Fan>(names: impl IntoIterator<Item = String>) -> Wakes {
    let names = names.into_iter();
    names.map(|name| Wake::Forget(P::queued(name))).collect()
}
