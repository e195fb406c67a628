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

/// A clock that reads so much less than before was set back; anything smaller is noise.
const SET_BACK: i64 = 2_000;
/// No answer takes longer: a moment further ahead of the clock is from before it was set back.
const LONGEST_ANSWER: i64 = 180_000;

/// Watches a clock that may be set back. Deadlines have to follow it then, or they would not come for
/// as long as it was set back. One that is set forward needs nothing: deadlines are due, that is all.
#[derive(Clone, Debug)]
pub(crate) struct ClockGuard {
    latest: i64,
    was_set_back: bool,
    /// How often the clock was set back.
    epoch: u32,
}

impl Default for ClockGuard {
    fn default() -> Self {
        Self {
            latest: i64::MIN,
            was_set_back: false,
            epoch: 0,
        }
    }
}

impl ClockGuard {
    /// Looks at the clock; returns by how much it was set back since the last look, if it was.
    pub(crate) fn look(&mut self, now: i64) -> Option<i64> {
        let back = self.latest.saturating_sub(now);
        if back <= SET_BACK {
            self.latest = self.latest.max(now);
            return None;
        }
        (self.latest, self.was_set_back) = (now, true);
        self.epoch = self.epoch.wrapping_add(1);
        Some(back)
    }

    /// Changes whenever the clock was set back. A deadline computed in another epoch may lie too far
    /// ahead.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The latest moment seen in this epoch.
    pub(crate) fn latest(&self) -> i64 {
        self.latest
    }

    /// A moment of the past as the clock of today would have it.
    pub(crate) fn past(&self, moment: i64) -> i64 {
        let stale = self.was_set_back && moment.saturating_sub(self.latest) > LONGEST_ANSWER;
        if stale { self.latest } else { moment }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_is_noticed_once_and_noise_is_not() {
        let mut clock = ClockGuard::default();

        assert_eq!(clock.look(10_000), None);
        assert_eq!(clock.look(9_000), None);
        assert_eq!(clock.look(7_000), Some(3_000));
        assert_eq!(clock.look(7_001), None);
        assert_eq!(clock.look(1_000_000), None);
    }

    #[test]
    fn a_moment_from_before_the_clock_was_set_back_counts_as_now() {
        let mut clock = ClockGuard::default();
        clock.look(10_000_000);
        assert_eq!(clock.past(90_000_000), 90_000_000);

        clock.look(1_000_000);

        assert_eq!(clock.past(10_000_000), 1_000_000);
        assert_eq!(clock.past(1_000_500), 1_000_500);
        assert_eq!(clock.past(0), 0);
    }

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
