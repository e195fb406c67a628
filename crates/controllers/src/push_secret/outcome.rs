//! What follows from a reconcile of a PushSecret: its events, its status, its row, a log line, and when it is
//! reconciled next.

use std::time::Instant;

use jiff::Timestamp;
use lockstep_index::{ObjectKey, PushMemory, PushNote};
use lockstep_plan::push_secret::PushOutcome;
use lockstep_reconcile::push_secret::{PushSecretWorld, Reconciled, outcome_after};
use lockstep_runtime::dispatch::Next;

use crate::context::nanos_since;
use crate::namespace_labels::NamespaceLabels;
use crate::next::next_sync;
use crate::refresh_floor;
use crate::world::ClusterWorld;

/// Records the events, writes the status, notes the outcome and maps it to the next time.
pub(super) async fn conclude(
    world: &ClusterWorld<'_>,
    key: &ObjectKey,
    (reconciled, memory, labels): (Reconciled, PushMemory, NamespaceLabels),
    (now, clock): (Timestamp, Instant),
) -> Next {
    let (context, Reconciled { object, report }) = (world.context, reconciled);
    for event in &report.events {
        context.api.recorders.push_secret(&object, event);
    }
    let written = match &report.status {
        Some(status) => world.write_push_status(&object, status).await.map(drop),
        None => Ok(()),
    };
    let mut outcome = outcome_after(written, report.outcome);
    outcome.next = labels.next(outcome.next, outcome.failure.as_ref());
    log(key, &outcome);
    let note = PushNote {
        nanos: nanos_since(clock),
        refreshed: outcome.refreshed,
        doomed_since: outcome.doomed_since,
        matched: outcome.matched.take(),
    };
    let mut rows = context.index.push_secrets();
    rows.note_run(key, note, &memory);
    drop(rows);
    match next_sync(&context.remote, outcome.next, outcome.failure.as_ref(), now) {
        Next::At(at) => Next::At(refresh_floor::next_push(&context.schedule, key, at, now)),
        next => next,
    }
}

fn log(key: &ObjectKey, outcome: &PushOutcome) {
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
