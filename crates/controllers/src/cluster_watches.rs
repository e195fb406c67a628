//! What becomes work for ClusterExternalSecrets: their own changes, those of their children, and
//! those of namespaces. Objects run; what they do is decided in `lockstep-plan`.

use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use lockstep_api::ClusterExternalSecret;
use lockstep_runtime::watch::Change;

use crate::gate::Gate;
use crate::shared::Shared;
use lockstep_index::ObjectKey;
use lockstep_index::{Child, Labels, RowChange};

/// ClusterExternalSecrets: whatever changed runs.
pub(crate) async fn cluster_external_secrets(
    shared: Arc<Shared>,
    changes: impl Stream<Item = Change<ClusterExternalSecret>>,
    gate: Gate,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => shared.index.cluster_external_secrets().begin_list(),
            Change::Applied(object) => {
                let (name, touch) = shared.index.cluster_external_secrets().apply(object);
                if touch != RowChange::Same {
                    run(&shared, [name]);
                }
            }
            Change::Deleted(object) => {
                let name = object.metadata.name.unwrap_or_default();
                shared.index.cluster_external_secrets().remove(&name);
                shared.queues.cluster_external_secrets.remove(&name);
            }
            Change::Synced => {
                let gone = shared.index.cluster_external_secrets().end_list();
                for name in &gone {
                    shared.queues.cluster_external_secrets.remove(name);
                }
                gate.open();
            }
            Change::Invalid(_) => {}
        }
    }
}

/// An ExternalSecret is there, touched or not: who controls it runs, and who did before.
pub(crate) fn saw_child(shared: &Shared, key: &ObjectKey, child: Option<Child>, touch: RowChange) {
    let owner = child.as_ref().filter(|_| touch != RowChange::Same);
    let owner = owner.map(|child| child.owner.clone());
    let mut rows = shared.index.cluster_external_secrets();
    let former = rows.saw_child(key, child);
    drop(rows);
    run(shared, former.into_iter().chain(owner));
}

/// An ExternalSecret is gone: who controlled it makes it anew, and whom it was in the way of may go on.
pub(crate) fn lost_child(shared: &Shared, key: &ObjectKey) {
    let mut rows = shared.index.cluster_external_secrets();
    let owner = rows.saw_child(key, None);
    let failed = rows.failed_in(key.namespace());
    drop(rows);
    run(shared, owner.into_iter().chain(failed));
}

/// A namespace is another one than it was: who wants it, or did, runs.
pub(crate) fn namespace_changed(shared: &Shared, name: &str, labels: &[Labels]) {
    let wanting = shared
        .index
        .cluster_external_secrets()
        .wanting(name, labels);
    run(shared, wanting);
}

fn run(shared: &Shared, names: impl IntoIterator<Item = String>) {
    for name in names {
        shared.queues.cluster_external_secrets.reset_backoff(&name);
        shared.queues.cluster_external_secrets.fresh(name);
    }
}
