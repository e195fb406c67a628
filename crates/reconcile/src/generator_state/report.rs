//! What follows when a state could not be read or written.

use lockstep_plan::NextRun;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::outcome::Ended;

/// A state that is gone is done; one that changed meanwhile is looked at again.
pub(super) fn unwritten((namespace, name): (&str, &str), error: &ApiError) -> Ended {
    if error.is(ApiErrorKind::NotFound) {
        return Ended::well(NextRun::OnChange);
    }
    let state = format!("{namespace}/{name}");
    if error.is_race() {
        tracing::debug!(generator_state = %state, %error, "changed meanwhile");
        return Ended::well(NextRun::Backoff);
    }
    tracing::warn!(generator_state = %state, %error, "reconcile failed");
    Ended::failed(NextRun::Backoff)
}
