//! The ExternalSecret controller: collects what the index knows, reconciles, and maps the outcome to the
//! next time. Decides nothing.

mod observe;
mod outcome;
mod series;
mod world;

use std::sync::Arc;
use std::time::Instant;

use lockstep_index::{ObjectKey, Reader};
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_reconcile::external_secret::Reconciler;
use lockstep_runtime::dispatch::Next;
use lockstep_runtime::schedule::Job;

use crate::context::{Context, nanos_since};
use crate::watch::watch_kind;
use crate::world::ClusterWorld;

use observe::{Seen, observe};
use outcome::conclude;
pub(crate) use series::ExternalSecretRows;

/// Reconciles one object.
pub(crate) async fn reconcile(context: Arc<Context>, job: Job<ObjectKey>) -> Next {
    let (now, clock) = (context.now(), Instant::now());
    let settings = context.settings.current();
    let reader = Reader::ExternalSecret(job.key.clone());
    let held = || context.index.hold(&reader, now);
    if let Some(until) = settings.flood_gate.then(held).flatten() {
        return Next::At(until);
    }
    let world = ClusterWorld { context: &context };
    let Some(Seen {
        observed,
        memory,
        labels,
    }) = observe(&world, &job, now).await
    else {
        return Next::Idle;
    };
    let generic = ObjectRef::of(&observed.object).filter(|_| settings.generic_targets);
    if let Some(target) = generic {
        watch_kind(&context, &target).await;
    }
    let reconciler = Reconciler {
        world: &world,
        remote: &context.remote,
        settings,
        planning: &context.planning,
    };
    let mut ended = reconciler.reconcile(observed, now).await;
    let outcome = &mut ended.outcome;
    outcome.next = labels.next(outcome.next, outcome.failure.as_ref());
    if labels.unwatched {
        // Shared reads would go on after the namespace got labels that shut it out.
        ended.shares = None;
    }
    conclude(
        &context,
        &job.key,
        (ended, memory),
        (now, nanos_since(clock)),
    )
}
