//! How a reconcile ended, with a log line where the status is news, and what follows when it could not be
//! written.

use std::collections::BTreeMap;

use lockstep_plan::NextRun;
use lockstep_plan::fan_out::{Parent, Report, TaskOutcome, Trouble};
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::outcome::Ended;

/// How a reconcile ended, once its status is written.
pub(super) fn ended<P: Parent>(object: &P, report: &Report<P::Status>) -> Ended {
    if report.status.is_some() {
        let name = object.metadata().name.as_deref().unwrap_or_default();
        tracing::info!(kind = P::KIND, name, ready = report.ready, "status changed");
    }
    match report.next {
        NextRun::At(_) | NextRun::OnChange => Ended::well(report.next),
        _ => Ended::failed(NextRun::Backoff),
    }
}

/// How a reconcile ended, given what became of the object's status.
pub fn ended_after<P: Parent>(object: &P, written: Result<(), ApiError>, ended: Ended) -> Ended {
    let name = object.metadata().name.as_deref().unwrap_or_default();
    match written {
        Ok(()) => ended,
        Err(error) => unwritten((P::KIND, name), &error),
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
