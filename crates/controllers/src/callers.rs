//! What is kept for the objects of one namespace beside the objects: the labels a run asked for, and
//! what stores read for callers from there. Reads labels live where the index has none. Decides nothing
//! about admission.

use k8s_openapi::api::core::v1::Namespace;
use lockstep_index::Labels;
use lockstep_plan::NextRun;
use lockstep_plan::{Cause, Failure, StoreKey, StoreKind};
use lockstep_runtime::api_object::ApiObject;

use crate::shared::Shared;

/// Labels of a namespace for one run.
pub(crate) struct CallerLabels {
    /// The labels; `None` where they are not known.
    pub(crate) labels: Option<Labels>,
    /// Whether no watch tells when they change, so that every refresh has to read them.
    pub(crate) unwatched: bool,
}

/// The labels of an object's namespace, for a run that uses `stores`.
pub(crate) async fn labels(shared: &Shared, namespace: &str, stores: &[StoreKey]) -> CallerLabels {
    let known = shared.index.namespaces().labels(namespace);
    if known.is_some() || !stores.iter().any(|store| reads_labels(shared, store)) {
        return CallerLabels {
            labels: known,
            unwatched: false,
        };
    }
    CallerLabels {
        labels: live(shared, namespace).await,
        unwatched: true,
    }
}

impl CallerLabels {
    /// When to run next after a failure. Where no watch tells that labels changed, a namespace that a
    /// store does not admit is looked at again with backoff.
    pub(crate) fn next(&self, next: NextRun, failure: Option<&Failure>) -> NextRun {
        let denied = failure.is_some_and(|failure| failure.cause() == Cause::STORE_DENIED.as_str());
        if self.unwatched && denied {
            NextRun::Backoff
        } else {
            next
        }
    }
}

/// All cluster stores: a PushSecret may select any of them by labels, or have pushed to it before.
pub(crate) fn cluster_stores(shared: &Shared) -> Vec<StoreKey> {
    let stores = shared.index.stores();
    let keys = stores.of_kind(StoreKind::ClusterSecretStore);
    keys.map(|record| record.key.clone()).collect()
}

fn reads_labels(shared: &Shared, store: &StoreKey) -> bool {
    let record = shared.index.stores().get(store);
    record.is_some_and(|record| record.view.access.reads_labels())
}

/// Reads the labels of a namespace, which needs the right to get it and no other.
async fn live(shared: &Shared, namespace: &str) -> Option<Labels> {
    let now = shared.now();
    {
        let mut namespaces = shared.index.namespaces();
        namespaces.awaits(namespace);
        if let Some(labels) = namespaces.read_lately(namespace, now) {
            return Some(labels);
        }
    }
    let target = ApiObject::of::<Namespace>(None, namespace);
    let read: Result<Option<Namespace>, _> = target.get(&shared.client).await;
    match read {
        Ok(Some(read)) => {
            let labels = Labels::new(read.metadata.labels.unwrap_or_default());
            let mut namespaces = shared.index.namespaces();
            namespaces.note_read(namespace, Labels::clone(&labels), now);
            Some(labels)
        }
        Ok(None) => None,
        Err(error) => {
            tracing::debug!(namespace, %error, "the labels of the namespace cannot be read");
            None
        }
    }
}
