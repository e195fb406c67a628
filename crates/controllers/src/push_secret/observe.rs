//! Collects what a reconcile of a PushSecret knows before it decides: its row and the labels of its
//! namespace.

use lockstep_index::{ObjectKey, PushMemory};
use lockstep_plan::push_secret::Observed;
use lockstep_plan::{StoreKey, StoreKind};

use crate::context::Context;
use crate::namespace_labels::{NamespaceLabels, labels};

/// What is known before a reconcile.
pub(super) struct Seen<'a> {
    pub(super) observed: Observed<'a>,
    pub(super) memory: PushMemory,
    pub(super) labels: NamespaceLabels,
}

/// Collects it; `None` when the object is gone.
pub(super) async fn observe<'a>(context: &'a Context, key: &ObjectKey) -> Option<Seen<'a>> {
    let (object, memory) = context.index.push_secrets().snapshot(key)?;
    let stores = cluster_stores(context);
    let labels = labels(context, key.namespace(), &stores).await;
    let observed = Observed {
        object,
        namespace_labels: labels.labels.clone(),
        last_refresh: memory.refreshed,
        inputs_changed: memory.inputs_changed(),
        doomed_since: memory.doomed_since,
        stores: &context.index,
        jitter: fastrand::f64(),
    };
    Some(Seen {
        observed,
        memory,
        labels,
    })
}

/// All cluster stores: a PushSecret may select any of them by labels, or have pushed to it before.
fn cluster_stores(context: &Context) -> Vec<StoreKey> {
    let stores = context.index.stores();
    let keys = stores.of_kind(StoreKind::ClusterSecretStore);
    keys.map(|record| record.key.clone()).collect()
}
