//! The PushSecret controller: collects what the index knows, reconciles, and maps the outcome to the next
//! time. Decides nothing.

mod observe;
mod outcome;
mod series;
mod world;

use std::sync::Arc;
use std::time::Instant;

use lockstep_index::{ObjectKey, Reader};
use lockstep_reconcile::push_secret::Reconciler;
use lockstep_runtime::dispatch::Next;

use crate::context::{Context, nanos_since};
use crate::world::ClusterWorld;

use observe::{Seen, observe};
use outcome::conclude;
pub(crate) use series::PushSecretRows;

/// Reconciles one object.
pub(crate) async fn reconcile(context: Arc<Context>, key: ObjectKey) -> Next {
    let (now, clock) = (context.now(), Instant::now());
    let settings = context.settings.current();
    let reader = Reader::PushSecret(key.clone());
    let held = || context.index.hold(&reader, now);
    if let Some(until) = settings.flood_gate.then(held).flatten() {
        return Next::At(until);
    }
    let Some(Seen {
        observed,
        memory,
        labels,
    }) = observe(&context, &key).await
    else {
        return Next::Idle;
    };
    let reconciler = Reconciler {
        world: &ClusterWorld { context: &context },
        remote: &context.remote,
        settings,
        planning: &context.planning,
    };
    let mut outcome = reconciler.reconcile(observed, now).await;
    outcome.next = labels.next(outcome.next, outcome.failure.as_ref());
    conclude(&context, &key, (outcome, memory), (now, nanos_since(clock)))
}
