//! Limits of the program that are not the state of one machine: how much runs at once and how long
//! failures are tolerated. The controllers and the simulation use the same values.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Reconciles of one controller at once, unless the user sets a number. Reconciles wait for the network
/// nearly all the time.
pub const RECONCILES_AT_ONCE: usize = 64;
/// Shared reads at once, over all stores.
pub const SHARED_READS_AT_ONCE: usize = 128;
/// Delay of a shared read that got no slot.
pub const NO_SLOT_DELAY: SignedDuration = SignedDuration::from_secs(1);
/// How long an outage lasts before the objects report it.
pub const OUTAGE_PATIENCE: Duration = Duration::from_secs(5);
/// How long a backend throttles before the objects report it.
pub const THROTTLE_PATIENCE: Duration = Duration::from_mins(1);
/// Shortest delay before a failed shared read is made again.
pub const READ_RETRY: SignedDuration = SignedDuration::from_secs(1);
/// Objects that waited for a store are reconciled within this time of its return.
const RELEASE_WITHIN: Duration = Duration::from_secs(5);
/// Longest time between two of them.
const RELEASE_STEP: Duration = Duration::from_millis(5);

/// The times at which `count` objects that waited for a store are reconciled, beginning at `now`.
pub fn release_times(now: Timestamp, count: usize) -> impl Iterator<Item = Timestamp> {
    let divisor = u32::try_from(count).unwrap_or(u32::MAX).max(1);
    let step = (RELEASE_WITHIN / divisor).min(RELEASE_STEP);
    let step = SignedDuration::try_from(step).unwrap_or_default();
    let next = move |at: &Timestamp| Some(at.saturating_add(step).unwrap_or(*at));
    std::iter::successors(Some(now), next).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(count: usize) -> Duration {
        let now = Timestamp::UNIX_EPOCH;
        let last = release_times(now, count).last().unwrap();
        Duration::try_from(last.duration_since(now)).unwrap()
    }

    #[test]
    fn few_objects_are_released_five_milliseconds_apart() {
        assert_eq!(last(3), Duration::from_millis(10));
    }

    #[test]
    fn many_objects_are_released_within_five_seconds() {
        assert!(last(100_000) <= Duration::from_secs(5));
        assert!(last(100_000) > Duration::from_millis(4_900));
    }
}
