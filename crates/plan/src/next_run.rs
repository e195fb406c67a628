//! When an object is reconciled next: one type for all kinds, from the plan to the queue.

use std::time::Duration;

use jiff::Timestamp;

/// When the object runs next, unless something triggers it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextRun {
    /// At a time.
    At(Timestamp),
    /// After a delay.
    After(Duration),
    /// With the object's own growing delay, one second to seven minutes.
    Backoff,
    /// With that delay, which grows no further than this.
    BackoffWithin(Duration),
    /// When the store's breaker lets it.
    Breaker,
    /// Only when something changes.
    OnChange,
}
