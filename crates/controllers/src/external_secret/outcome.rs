//! What follows from a reconcile of an ExternalSecret: its events, its status, its row, its shared reads, a
//! log line, and when it is reconciled next.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_api::{ExternalSecret, ExternalSecretStatus};
use lockstep_index::{Memory, ObjectKey, SyncNote};
use lockstep_plan::external_secret::SyncOutcome;
use lockstep_plan::{Failure, NextRun};
use lockstep_reconcile::external_secret::{Reconciled, Shares, outcome_after};
use lockstep_runtime::api_error::{AWAY, ApiError};
use lockstep_runtime::dispatch::Next;

use crate::api_server::target;
use crate::context::{Context, nanos_since};
use crate::deletion_guard;
use crate::namespace_labels::NamespaceLabels;
use crate::next::next_sync;
use crate::refresh_floor;

/// Time between two looks for a Secret that someone else is to make. It carries no label yet, so no
/// watch shows it.
const LOOK_FOR_TARGET: SignedDuration = SignedDuration::from_secs(15);

/// Records the events, writes the status, notes the outcome and maps it to the next time.
pub(super) async fn conclude(
    context: &Context,
    key: &ObjectKey,
    (reconciled, memory, labels): (Reconciled, Memory, NamespaceLabels),
    (now, clock): (Timestamp, Instant),
) -> Next {
    let Reconciled {
        object,
        report,
        shares,
        present,
    } = reconciled;
    if present {
        deletion_guard::note_present(context, key);
    }
    for event in &report.events {
        context.api.recorders.external_secret(&object, event);
    }
    let written = match &report.status {
        Some(status) => write_status(context, &object, status).await,
        None => Ok(()),
    };
    let mut outcome = outcome_after(written, report.outcome);
    outcome.next = labels.next(outcome.next, outcome.failure.as_ref());
    log(key, &outcome);
    let note = SyncNote {
        nanos: nanos_since(clock),
        failed: outcome.failure.is_some(),
        refreshed: outcome.refreshed,
        awaits_target: outcome.awaits_target,
    };
    let mut rows = context.index.external_secrets();
    rows.note_run(key, &note, &memory);
    drop(rows);
    // Shared reads would go on after the namespace got labels that shut it out.
    let kept = share(context, key, shares.filter(|_| !labels.unwatched));
    match next(context, &outcome, now, kept) {
        Next::At(at) if outcome.refreshed.is_some() && !kept => {
            Next::At(refresh_floor::next_refresh(context, key, at, now))
        }
        next => next,
    }
}

/// Writes the status and takes the answer into the index; a change by someone else that it shows is worth a
/// reconcile.
async fn write_status(
    context: &Context,
    object: &ExternalSecret,
    status: &ExternalSecretStatus,
) -> Result<(), ApiError> {
    let target = target::<ExternalSecret>(&object.metadata);
    let uid = object.metadata.uid.as_deref().unwrap_or_default();
    let writer = &context.api.writer;
    let written = writer.patch_status(&target, uid, status, Some(FIELD_MANAGER));
    let written: ExternalSecret = written.await?;
    let kept = written.status.as_ref();
    let kept = kept.and_then(|status| status.observed_generation);
    context
        .settings
        .note_generation(status.observed_generation, kept);
    let answered = context
        .index
        .external_secret_answered(written, context.now());
    context.carry_out(answered);
    Ok(())
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

/// Whether the log is the only place that shows a failure. The watches log once that the API server is
/// away; objects do not repeat it at every try.
fn is_untold(outcome: &SyncOutcome, failure: &Failure) -> bool {
    outcome.condition_not_written && !failure.event().contains(AWAY)
}

fn log(key: &ObjectKey, outcome: &SyncOutcome) {
    match &outcome.failure {
        Some(failure) if outcome.condition_changed || is_untold(outcome, failure) => {
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
