//! The one watch loop of all kinds: hands what a watch shows to its rule of the index and carries out what
//! follows. Knows no kind and decides nothing.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use jiff::Timestamp;
use kube::{Api, Resource};
use lockstep_index::{Index, Seen, Wakes};
use lockstep_runtime::health::Component;
use lockstep_runtime::watch::{Change, Guarded, Settings, watch};
use serde::de::DeserializeOwned;

use super::gate::Gate;
use crate::context::Context;

/// One watch.
pub(super) struct Watched<K> {
    /// Name of its task.
    pub(super) task: &'static str,
    /// What is watched.
    pub(super) api: Api<Guarded<K>>,
    /// Only objects with these labels.
    pub(super) labels: Option<String>,
    /// Its part in readiness.
    pub(super) component: Component,
    /// Opens when the first list is complete.
    pub(super) gate: Gate,
}

/// Watches for good; `rule` takes what is shown into the index and says what follows.
pub(super) fn keep<K>(
    context: &Arc<Context>,
    watched: Watched<K>,
    rule: impl Fn(&Index, Seen<K>, Timestamp) -> Wakes + Clone + Send + Sync + 'static,
) where
    K: Resource + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
    Api<Guarded<K>>: Send + Sync,
{
    let own = Arc::clone(context);
    let background = &context.watches.background;
    background.keep(watched.task, move || {
        let settings = Settings {
            labels: watched.labels.clone(),
            ..own.watches.settings()
        };
        let changes = watch(watched.api.clone(), settings, watched.component.clone());
        follow(
            Arc::clone(&own),
            changes,
            watched.gate.clone(),
            rule.clone(),
        )
    });
}

/// Follows a watch for good. The gate opens when the first list is complete.
async fn follow<K: Resource>(
    context: Arc<Context>,
    changes: impl Stream<Item = Change<K>>,
    gate: Gate,
    rule: impl Fn(&Index, Seen<K>, Timestamp) -> Wakes,
) {
    let mut changes = std::pin::pin!(changes);
    while let Some(change) = changes.next().await {
        if let Change::Applied(object) | Change::Deleted(object) = &change {
            let version = object.meta().resource_version.as_deref();
            context.watches.revision.note(version);
        }
        let seen = match change {
            Change::Reset => Seen::ListBegins,
            Change::Applied(object) => Seen::Applied(Box::new(object)),
            Change::Deleted(object) => Seen::Deleted(Box::new(object)),
            Change::Synced => Seen::ListEnds,
            Change::Invalid(_) => continue,
        };
        let complete = matches!(seen, Seen::ListEnds);
        context.carry_out(rule(&context.index, seen, context.now()));
        if complete {
            gate.open();
        }
    }
}
