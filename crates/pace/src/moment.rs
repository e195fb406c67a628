//! Moments as milliseconds, so that sets of deadlines are small and cheap to compare.

use std::time::Duration;

use jiff::Timestamp;

/// Nanoseconds of a millisecond.
const NANOSECONDS: i32 = 1_000_000;

/// A deadline that never comes.
pub(crate) const NEVER: i64 = i64::MAX;

/// The moment in milliseconds, never later than it is.
pub(crate) fn floor(moment: Timestamp) -> i64 {
    // Before 1970 the milliseconds are cut towards zero, which is later.
    let cut = moment.subsec_nanosecond() % NANOSECONDS < 0;
    moment.as_millisecond() - i64::from(cut)
}

/// The deadline in milliseconds, never earlier than it is.
pub(crate) fn ceiling(deadline: Timestamp) -> i64 {
    let exact = deadline.subsec_nanosecond() % NANOSECONDS == 0;
    floor(deadline) + i64::from(!exact)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_rounded_down_and_a_deadline_up_on_both_sides_of_1970() {
        for nanosecond in [
            -2_000_000, -1_500_000, -1, 0, 1, 999_999, 1_000_000, 1_000_001,
        ] {
            let moment = Timestamp::from_nanosecond(nanosecond).unwrap();
            let down = i64::try_from(nanosecond.div_euclid(1_000_000)).unwrap();
            let exact = nanosecond.rem_euclid(1_000_000) == 0;

            assert_eq!(floor(moment), down, "{nanosecond}");
            assert_eq!(ceiling(moment), down + i64::from(!exact), "{nanosecond}");
        }
    }
}
