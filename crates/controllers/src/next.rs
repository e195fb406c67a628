//! Maps `NextRun` to the queue's `Next`. One rule for all kinds.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_plan::{Failure, NextRun};
use lockstep_reconcile::Ended;
use lockstep_remote::RemoteClient;
use lockstep_runtime::dispatch::Next;

/// Seconds to the next try of an object whose store is probed. It is woken when the store is back;
/// this is only for the case that nothing wakes it.
const WITHOUT_WAKING: f64 = 300.0;

/// Longest time to the next try of an object one of whose keys fails while its store answers others.
/// Nothing wakes it when the key is back, so it looks as often as the key is asked for.
const LONGEST_KEY_BACKOFF: Duration = Duration::from_secs(30);

/// When to reconcile an object that reads or writes through stores next. The reconcile began at `now`.
pub(crate) fn next_sync(
    remote: &RemoteClient,
    next: NextRun,
    failure: Option<&Failure>,
    now: Timestamp,
) -> Next {
    if next == NextRun::Breaker && is_probed(remote, failure) {
        let delay = WITHOUT_WAKING * (0.8 + 0.4 * fastrand::f64());
        let delay = SignedDuration::try_from_secs_f64(delay).unwrap_or_default();
        return Next::FailedUntil(later(now, delay));
    }
    let failed = failure.is_some();
    next_run(Ended { next, failed }, now)
}

/// When to reconcile next after a reconcile that began at `now`.
pub(crate) fn next_run(Ended { next, failed }: Ended, now: Timestamp) -> Next {
    match next {
        NextRun::At(time) => Next::At(time),
        NextRun::After(delay) => {
            let time = later(
                now,
                SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX),
            );
            if failed {
                Next::FailedUntil(time)
            } else {
                Next::At(time)
            }
        }
        NextRun::Backoff if failed => Next::Failed,
        NextRun::Backoff => Next::Again,
        NextRun::BackoffWithin(longest) => Next::FailedWithin(longest),
        NextRun::Breaker => Next::FailedWithin(LONGEST_KEY_BACKOFF),
        NextRun::OnChange => Next::Idle,
    }
}

fn later(now: Timestamp, delay: SignedDuration) -> Timestamp {
    now.saturating_add(delay).unwrap_or(Timestamp::MAX)
}

/// Whether the store that failed is probed, so that its return wakes the object.
fn is_probed(remote: &RemoteClient, failure: Option<&Failure>) -> bool {
    let store = failure.and_then(Failure::store);
    store.is_some_and(|store| remote.is_open(store))
}
