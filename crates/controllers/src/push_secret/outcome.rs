//! What follows from the outcome of a reconcile of a PushSecret: its row, a log line, and when it is
//! reconciled next.

use jiff::Timestamp;
use lockstep_index::{ObjectKey, PushMemory, PushNote};
use lockstep_plan::push_secret::PushOutcome;
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
use crate::next::next_sync;
use crate::refresh_floor;

/// Notes the outcome and maps it to the next time.
pub(super) fn conclude(
    context: &Context,
    key: &ObjectKey,
    (mut outcome, memory): (PushOutcome, PushMemory),
    (now, nanos): (Timestamp, u64),
) -> Next {
    log(key, &outcome);
    let note = PushNote {
        nanos,
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
