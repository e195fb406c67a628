//! Reports how the namespaces ended: the status, where it is news, and the next time.

use std::collections::BTreeMap;

use lockstep_plan::NextRun;
use lockstep_plan::fan_out::{Parent, Report, TaskOutcome, Trouble};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use super::Reconciler;
use super::world::FanOutWorld;
use crate::outcome::Ended;

impl<W> Reconciler<'_, W> {
    /// Writes the status, if it is news, and says when to reconcile again.
    pub(super) async fn report<P>(
        &self,
        object: &P,
        report: Report<P::Status>,
    ) -> Result<Ended, ApiError>
    where
        P: Parent + Send + Sync,
        W: FanOutWorld<P>,
    {
        let ended = match report.next {
            NextRun::At(_) | NextRun::OnChange => Ended::well(report.next),
            _ => Ended::failed(NextRun::Backoff),
        };
        let Some(status) = &report.status else {
            return Ok(ended);
        };
        let name = object.metadata().name.as_deref().unwrap_or_default();
        tracing::info!(kind = P::KIND, name, ready = report.ready, "status changed");
        self.world.write_parent_status(object, status).await?;
        Ok(ended)
    }
}

/// What follows when the object could not be written, or something changed meanwhile.
pub(super) fn unwritten((kind, name): (&str, &str), error: &ApiError) -> Ended {
    if error.is(ApiErrorKind::NotFound) {
        return Ended::well(NextRun::OnChange);
    }
    if error.is_race() {
        tracing::debug!(kind, name, %error, "changed meanwhile");
        return Ended::well(NextRun::Backoff);
    }
    tracing::warn!(kind, name, %error, "reconcile failed");
    Ended::failed(NextRun::Backoff)
}

/// The first namespace that failed, and why.
pub(super) fn first_trouble(outcomes: &BTreeMap<String, TaskOutcome>) -> Option<(&str, &str)> {
    outcomes
        .iter()
        .find_map(|(namespace, outcome)| match outcome {
            TaskOutcome::Failed(Trouble::Refused(text) | Trouble::Failed(text)) => {
                Some((namespace.as_str(), text.as_str()))
            }
            _ => None,
        })
}
