//! What follows from the outcome of a reconcile of an ExternalSecret: its row, its shared reads, a log line,
//! and when it is reconciled next.

use jiff::{SignedDuration, Timestamp};
use lockstep_index::{Memory, ObjectKey, SyncNote};
use lockstep_plan::NextRun;
use lockstep_plan::external_secret::SyncOutcome;
use lockstep_reconcile::external_secret::{Reconciled, Shares};
use lockstep_runtime::dispatch::Next;

use crate::context::Context;
use crate::next::next_sync;
use crate::refresh_floor;

/// Time between two looks for a Secret that someone else is to make. It carries no label yet, so no
/// watch shows it.
const LOOK_FOR_TARGET: SignedDuration = SignedDuration::from_secs(15);

/// Notes the outcome and maps it to the next time.
pub(super) fn conclude(
    context: &Context,
    key: &ObjectKey,
    (reconciled, memory): (Reconciled, Memory),
    (now, nanos): (Timestamp, u64),
) -> Next {
    let Reconciled { outcome, shares } = reconciled;
    log(key, &outcome);
    let note = SyncNote {
        nanos,
        failed: outcome.failure.is_some(),
        refreshed: outcome.refreshed,
        awaits_target: outcome.awaits_target,
    };
    let mut rows = context.index.external_secrets();
    rows.note_run(key, &note, &memory);
    drop(rows);
    let kept = share(context, key, shares);
    match next(context, &outcome, now, kept) {
        Next::At(at) if outcome.refreshed.is_some() && !kept => {
            Next::At(refresh_floor::next_refresh(context, key, at, now))
        }
        next => next,
    }
}

/// Lets shared reads keep the object fresh, where they can. Returns whether they do.
fn share(context: &Context, key: &ObjectKey, shares: Option<Shares>) -> bool {
    let shared_reads = &context.schedule.shared_reads;
    let Some(reads) = shares else {
        return shared_reads.refreshed(key).is_some();
    };
    if !shared_reads.subscribe(key, reads) {
        context.input_changed(vec![key.clone()], context.now());
    }
    if !context.index.external_secrets().contains(key) {
        // It was deleted during its reconcile.
        shared_reads.leave(key);
    }
    true
}

fn next(context: &Context, outcome: &SyncOutcome, now: Timestamp, kept_fresh: bool) -> Next {
    let next = match outcome.next {
        // Shared reads come sooner; the object itself only notes now and then what they did.
        NextRun::At(time) if kept_fresh => Next::At(outcome.note_at.unwrap_or(time).max(time)),
        next => next_sync(&context.remote, next, outcome.failure.as_ref(), now),
    };
    if outcome.awaits_target {
        let look = now.saturating_add(LOOK_FOR_TARGET);
        let look = look.unwrap_or(Timestamp::MAX);
        return match next {
            Next::At(time) => Next::At(time.min(look)),
            _ => Next::At(look),
        };
    }
    next
}

fn log(key: &ObjectKey, outcome: &SyncOutcome) {
    match &outcome.failure {
        Some(failure) if outcome.condition_changed || outcome.condition_not_written => {
            tracing::warn!(external_secret = %key, error = %failure, "sync failed");
        }
        Some(failure) => {
            tracing::debug!(external_secret = %key, error = %failure, "sync failed again");
        }
        None if outcome.condition_changed => {
            tracing::info!(external_secret = %key, "reconciled secret");
        }
        None => tracing::debug!(external_secret = %key, next = ?outcome.next, "run ended"),
    }
}
