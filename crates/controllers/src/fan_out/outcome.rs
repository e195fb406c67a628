//! What follows from a reconcile: the object's events, its status, its row, and when it is reconciled next.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use lockstep_api::keys::FIELD_MANAGER;
use lockstep_plan::fan_out::{Parent, Report, status_patch};
use lockstep_reconcile::Reconciled;
use lockstep_reconcile::fan_out::ended_after;
use lockstep_runtime::api_error::ApiError;
use lockstep_runtime::dispatch::Next;

use super::kind::FanOut;
use crate::api_server::{about, target};
use crate::context::{Context, nanos_since};
use crate::next::next_run;

/// Records the events, writes the status, notes the outcome and maps it to the next time.
pub(super) async fn conclude<P: FanOut>(
    context: &Context,
    name: &str,
    reconciled: Reconciled<Arc<P>, Report<P::Status>>,
    (now, clock): (Timestamp, Instant),
) -> Next {
    let mut ended = reconciled.ended;
    if let Some((object, report)) = reconciled.report {
        let recorder = P::recorder(&context.api.recorders);
        let kind = (<P as Parent>::API_VERSION, <P as Parent>::KIND);
        for event in &report.events {
            about(recorder, kind, (Parent::metadata(&*object), event));
        }
        let written = match &report.status {
            Some(status) => write_status(context, &*object, status).await,
            None => Ok(()),
        };
        ended = ended_after(&*object, written, ended);
    }
    P::rows(&context.index).note_run(name, nanos_since(clock));
    next_run(ended, now)
}

/// Writes the status and takes the answer into the index.
async fn write_status<P: FanOut>(
    context: &Context,
    object: &P,
    status: &P::Status,
) -> Result<(), ApiError> {
    let metadata = Parent::metadata(object);
    let (target, uid) = (target::<P>(metadata), metadata.uid.as_deref());
    let patch = status_patch(object.status(), status);
    let (writer, manager) = (&context.api.writer, Some(FIELD_MANAGER));
    let written = writer.patch_status(&target, uid.unwrap_or_default(), &patch, manager);
    let written: P = written.await?;
    let kept = written.status().and_then(P::observed_generation);
    let noted = P::observed_generation(status);
    context.settings.note_generation(noted, kept);
    P::rows(&context.index).answered(written);
    Ok(())
}
