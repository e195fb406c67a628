//! The PushSecret controller: collects what the index knows, reconciles, and carries out what is reported.

mod observe;
mod outcome;
mod series;
mod world;

use std::sync::Arc;
use std::time::Instant;

use lockstep_index::{ObjectKey, Reader};
use lockstep_plan::push_secret::decide;
use lockstep_reconcile::push_secret::Reconciler;
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
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
    let world = ClusterWorld { context: &context };
    let reconciler = Reconciler {
        world: &world,
        remote: &context.remote,
        settings,
        planning: &context.planning,
    };
    let verdict = decide(&observed, settings, now);
    let ended = reconciler.reconcile(observed, verdict, now).await;
    conclude(&world, &key, (ended, memory, labels), (now, clock)).await
}
