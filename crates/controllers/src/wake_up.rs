//! Maps `NextRun` to the queue's `Next`. One rule for all kinds.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_plan::Failure;
use lockstep_plan::NextRun;
use lockstep_runtime::dispatch::Next;

use crate::shared::Shared;

/// Seconds to the next try of an object whose store is probed. It is woken when the store is back;
/// this is only for the case that nothing wakes it.
const WITHOUT_WAKING: f64 = 300.0;

/// Longest time to the next try of an object one of whose keys fails while its store answers others.
/// Nothing wakes it when the key is back, so it looks as often as the key is asked for.
const LONGEST_KEY_BACKOFF: Duration = Duration::from_secs(30);

/// When to run next after a run that began at `now`.
pub(crate) fn wake_up(
    shared: &Shared,
    next: NextRun,
    failure: Option<&Failure>,
    now: Timestamp,
) -> Next {
    let failed = failure.is_some();
    let at = |delay: SignedDuration| now.saturating_add(delay).unwrap_or(Timestamp::MAX);
    match next {
        NextRun::At(time) => Next::At(time),
        NextRun::After(delay) => {
            let time = at(SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX));
            if failed {
                Next::FailedUntil(time)
            } else {
                Next::At(time)
            }
        }
        NextRun::Backoff if failed => Next::Failed,
        NextRun::Backoff => Next::Again,
        NextRun::Breaker if is_probed(shared, failure) => {
            let delay = WITHOUT_WAKING * (0.8 + 0.4 * fastrand::f64());
            Next::FailedUntil(at(
                SignedDuration::try_from_secs_f64(delay).unwrap_or_default()
            ))
        }
        NextRun::Breaker => Next::FailedWithin(LONGEST_KEY_BACKOFF),
        NextRun::OnChange => Next::Idle,
    }
}

/// Whether the store that failed is probed, so that its return wakes the object.
fn is_probed(shared: &Shared, failure: Option<&Failure>) -> bool {
    let store = failure.and_then(Failure::store);
    store.is_some_and(|store| shared.reads.is_open(store))
}
