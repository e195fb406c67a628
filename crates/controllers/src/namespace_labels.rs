//! The labels of an object's namespace, by which cluster stores admit it. Reads them live where the index
//! has none. Decides nothing about admission.

use k8s_openapi::api::core::v1::Namespace;
use lockstep_index::Labels;
use lockstep_plan::{Cause, Failure, NextRun, StoreKey};
use lockstep_runtime::api_object::ApiObject;

use crate::context::Context;

/// Labels of a namespace for one reconcile.
pub(crate) struct NamespaceLabels {
    /// The labels; `None` where they are not known.
    pub(crate) labels: Option<Labels>,
    /// Whether no watch tells when they change, so that every refresh has to read them.
    pub(crate) unwatched: bool,
}

/// The labels of an object's namespace, for a reconcile that uses `stores`.
pub(crate) async fn labels(
    context: &Context,
    namespace: &str,
    stores: &[StoreKey],
) -> NamespaceLabels {
    let known = context.index.namespaces().labels(namespace);
    if known.is_some() || !stores.iter().any(|store| reads_labels(context, store)) {
        return NamespaceLabels {
            labels: known,
            unwatched: false,
        };
    }
    NamespaceLabels {
        labels: live(context, namespace).await,
        unwatched: true,
    }
}

impl NamespaceLabels {
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

fn reads_labels(context: &Context, store: &StoreKey) -> bool {
    let record = context.index.stores().get(store);
    record.is_some_and(|record| record.view.access.reads_labels())
}

/// Reads the labels of a namespace, which needs the right to get it and no other.
async fn live(context: &Context, namespace: &str) -> Option<Labels> {
    let now = context.now();
    {
        let mut namespaces = context.index.namespaces();
        namespaces.awaits(namespace);
        if let Some(labels) = namespaces.read_lately(namespace, now) {
            return Some(labels);
        }
    }
    let target = ApiObject::of::<Namespace>(None, namespace);
    let read: Result<Option<Namespace>, _> = target.get(&context.api.client).await;
    match read {
        Ok(Some(read)) => {
            let labels = Labels::new(read.metadata.labels.unwrap_or_default());
            let mut namespaces = context.index.namespaces();
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
