//! ClusterExternalSecrets: requeued by their own changes, those of their children, and those of
//! namespaces.

use lockstep_api::ClusterExternalSecret;

use crate::event::Seen;
use crate::index::Index;
use crate::key::ObjectKey;
use crate::rows::{Child, Labels, RowChange};
use crate::wake::{Queued, Trigger, Wake, Wakes};

impl Index {
    pub(super) fn cluster_external_secret_seen(&self, seen: Seen<ClusterExternalSecret>) -> Wakes {
        match seen {
            Seen::ListBegins => {
                self.cluster_external_secrets().begin_list();
                Wakes::default()
            }
            Seen::Applied(object) => {
                let (name, change) = self.cluster_external_secrets().apply(*object);
                let changed = (change != RowChange::Same).then_some(name);
                retry(changed, Trigger::Changed)
            }
            Seen::Deleted(object) => {
                let name = object.metadata.name.unwrap_or_default();
                self.cluster_external_secrets().remove(&name);
                forget([name])
            }
            Seen::ListEnds => {
                let gone = self.cluster_external_secrets().end_list();
                forget(gone)
            }
        }
    }

    /// Requeues who controls an ExternalSecret that changed, and who did before.
    pub(super) fn child_seen(
        &self,
        key: &ObjectKey,
        child: Option<Child>,
        change: RowChange,
    ) -> Wakes {
        let owner = child.as_ref().filter(|_| change != RowChange::Same);
        let owner = owner.map(|child| child.owner.clone());
        let former = self.cluster_external_secrets().saw_child(key, child);
        retry(former.into_iter().chain(owner), Trigger::ChildChanged)
    }

    /// Requeues who controlled an ExternalSecret that is gone, and whom it was in the way of.
    pub(super) fn child_gone(&self, key: &ObjectKey) -> Wakes {
        let mut rows = self.cluster_external_secrets();
        let owner = rows.saw_child(key, None);
        let failed = rows.failed_in(key.namespace());
        drop(rows);
        retry(owner.into_iter().chain(failed), Trigger::ChildChanged)
    }

    /// Requeues who wants a namespace with one of these labels.
    pub(super) fn selected_namespace_changed(&self, name: &str, labels: &[Labels]) -> Wakes {
        let wanting = self.cluster_external_secrets().wanting(name, labels);
        retry(wanting, Trigger::NamespaceChanged)
    }
}

fn retry(names: impl IntoIterator<Item = String>, trigger: Trigger) -> Wakes {
    let mut wakes = Wakes::default();
    for name in names {
        wakes.retry(Queued::ClusterExternalSecret(name), trigger);
    }
    wakes
}

fn forget(names: impl IntoIterator<Item = String>) -> Wakes {
    let names = names.into_iter();
    names
        .map(|name| Wake::Forget(Queued::ClusterExternalSecret(name)))
        .collect()
}
