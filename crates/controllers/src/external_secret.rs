//! The ExternalSecret controller: collects what the index knows, reconciles, and carries out what is
//! reported.

mod observe;
mod outcome;
mod series;
mod world;

use std::sync::Arc;
use std::time::Instant;

use lockstep_index::{ObjectKey, Reader};
use lockstep_plan::external_secret::{Decision, decide};
use lockstep_reconcile::external_secret::Reconciler;
use lockstep_runtime::dispatch::Next;
use lockstep_runtime::schedule::Job;

use crate::context::Context;
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
    let verdict = decide(&observed, settings, now);
    if matches!(verdict.decision, Decision::Fetch(_)) {
        // It reads for itself: what it synced from before no longer keeps it fresh, and another answer
        // to its own read must not requeue it.
        context.schedule.shared_reads.leave(&job.key);
    }
    let reconciler = Reconciler {
        world: &world,
        remote: &context.remote,
        settings,
        planning: &context.planning,
    };
    let ended = reconciler.reconcile(observed, verdict, now).await;
    let concluded = conclude(&context, &job.key, (ended, memory, labels), (now, clock));
    concluded.await
}
