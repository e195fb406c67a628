//! The PushSecret controller: collects what the index knows, lets the engine run, and turns the
//! outcome into the next wake-up. Decides nothing.

use std::sync::Arc;
use std::time::Instant;

use lockstep_index::{ObjectKey, PushNote, Reader};
use lockstep_reconcile::push_secret::{Engine, Observation, Outcome};
use lockstep_runtime::dispatch::Next;

use crate::callers;
use crate::refresh_floor;
use crate::shared::{Shared, nanos_since};
use crate::wake_up::wake_up;
use crate::world::ClusterWorld;

/// Runs one object.
pub(crate) async fn run(shared: Arc<Shared>, key: ObjectKey) -> Next {
    let (now, clock) = (shared.now(), Instant::now());
    let stores = || shared.index.push_secrets().stores_of(&key);
    if let Some(until) = shared.hold(&Reader::PushSecret(key.clone()), stores, now) {
        return Next::At(until);
    }
    let taken = shared.index.push_secrets().snapshot(&key);
    let Some((object, memory)) = taken else {
        return Next::Idle;
    };
    let stores = callers::cluster_stores(&shared);
    let labels = callers::labels(&shared, key.namespace(), &stores).await;
    let observation = Observation {
        object,
        namespace_labels: labels.labels.clone(),
        last_refresh: memory.refreshed,
        inputs_changed: memory.inputs_changed(),
        doomed_since: memory.doomed_since,
    };
    let engine = Engine {
        world: &ClusterWorld { shared: &shared },
        stores: shared.as_ref(),
        reads: &shared.reads,
        settings: shared.settings(),
        planning: &shared.planning,
    };
    let mut outcome = engine.run(observation, now, fastrand::f64()).await;
    log(&key, &outcome);
    let note = PushNote {
        nanos: nanos_since(clock),
        refreshed: outcome.refreshed,
        doomed_since: outcome.doomed_since,
        matched: outcome.matched.take(),
    };
    let mut rows = shared.index.push_secrets();
    rows.note_run(&key, note, &memory);
    drop(rows);
    let next = labels.next(outcome.next, outcome.failure.as_ref());
    match wake_up(&shared, next, outcome.failure.as_ref(), now) {
        Next::At(at) => Next::At(refresh_floor::next_push(&shared, &key, at, now)),
        next => next,
    }
}

fn log(key: &ObjectKey, outcome: &Outcome) {
    match &outcome.failure {
        Some(failure) if outcome.condition_changed => {
            tracing::warn!(push_secret = %key, error = %failure, "push failed");
        }
        Some(failure) => {
            tracing::debug!(push_secret = %key, error = %failure, "push failed again");
        }
        None if outcome.condition_changed => tracing::info!(push_secret = %key, "pushed secret"),
        None => tracing::debug!(push_secret = %key, next = ?outcome.next, "run ended"),
    }
}
