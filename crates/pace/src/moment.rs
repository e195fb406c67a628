//! Moments as milliseconds, so that sets of deadlines are small and cheap to compare.

use std::time::Duration;

use jiff::Timestamp;

/// A deadline that never comes.
pub(crate) const NEVER: i64 = i64::MAX;

/// The moment in milliseconds, never later than it is.
pub(crate) fn floor(moment: Timestamp) -> i64 {
    let nanoseconds = moment.as_nanosecond().div_euclid(1_000_000);
    i64::try_from(nanoseconds).unwrap_or(NEVER - 1)
}

/// The deadline in milliseconds, never earlier than it is.
pub(crate) fn ceiling(deadline: Timestamp) -> i64 {
    let milliseconds = floor(deadline);
    let exact = deadline.as_nanosecond().rem_euclid(1_000_000) == 0;
    if exact {
        milliseconds
    } else {
        milliseconds + 1
    }
}

/// The moment of so many milliseconds.
pub(crate) fn timestamp(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::MAX)
}

/// A span in milliseconds.
pub(crate) fn span(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(NEVER / 4)
}

/// A share of a span; `share` lies between 0 and 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "spans are far below 2^52 milliseconds, and a share need not be exact"
)]
pub(crate) fn share(span: i64, share: f64) -> i64 {
    (span as f64 * share.clamp(0.0, 1.0)) as i64
}
