//! A floor under refresh intervals. An interval below it is kept for a burst only: each namespace has a
//! credit of early refreshes that fills up slowly, and without credit a refresh waits for the floor.
//! So a manifest with a short interval works as upstream has it for a while, and no namespace presses
//! a backend with it for long.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::moment::{floor, span, timestamp};

/// Early refreshes a namespace may make in a burst.
const BURST: f64 = 120.0;
/// No refresh comes sooner after the last one, with credit or without.
const LEAST: Duration = Duration::from_secs(1);
/// Namespaces remembered; beyond, those with a full credit are forgotten.
const MOST: usize = 4_096;

/// What a refresh that is due may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// It is made now.
    Now,
    /// It is made at this time: refreshes are a second apart at least.
    Later(Timestamp),
    /// The namespace has no credit left: it is made at this time, when the floor is over.
    Floored(Timestamp),
}

#[derive(Clone, Copy, Debug)]
struct Credit {
    left: f64,
    at: i64,
}

/// Credits of all namespaces.
#[derive(Clone, Debug)]
pub struct RefreshFloor {
    floor: i64,
    credits: BTreeMap<u64, Credit>,
}

impl RefreshFloor {
    /// Refreshes of one thing are `floor` apart, but for bursts.
    pub fn new(floor: Duration) -> Self {
        Self {
            floor: span(floor),
            credits: BTreeMap::new(),
        }
    }

    /// The floor.
    pub fn floor(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.floor).unwrap_or(0))
    }

    /// Whether a refresh for a namespace may be made now when the last one was made at `last`.
    pub fn refresh(&mut self, namespace: u64, last: Timestamp, now: Timestamp) -> Refresh {
        let (last, now) = (floor(last), floor(now));
        // A last refresh in the future is a clock that was set back.
        let age = now.saturating_sub(last);
        if age >= self.floor || age < 0 {
            return Refresh::Now;
        }
        let gap = span(LEAST).min(self.floor);
        if age < gap {
            return Refresh::Later(timestamp(last + gap));
        }
        if self.take(namespace, now) {
            return Refresh::Now;
        }
        Refresh::Floored(timestamp(last + self.floor))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "spans are far below 2^52 milliseconds"
    )]
    fn take(&mut self, namespace: u64, now: i64) -> bool {
        let refilled = |credit: &Credit, floor: i64| {
            let time = now.saturating_sub(credit.at).max(0) as f64;
            (credit.left + time / floor as f64).min(BURST)
        };
        let floor = self.floor;
        if self.credits.len() >= MOST && !self.credits.contains_key(&namespace) {
            self.credits
                .retain(|_, credit| refilled(credit, floor) < BURST);
        }
        let credit = self.credits.entry(namespace).or_insert(Credit {
            left: BURST,
            at: now,
        });
        credit.left = refilled(credit, floor);
        credit.at = now;
        if credit.left < 1.0 {
            return false;
        }
        credit.left -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: i64) -> Timestamp {
        Timestamp::from_millisecond(milliseconds).unwrap()
    }

    /// Refreshes of `objects` objects of one namespace within an hour, each as soon as it may.
    fn within_an_hour(floor: &mut RefreshFloor, namespace: u64, objects: usize) -> usize {
        let mut last = vec![0; objects];
        let mut refreshes = 0;
        for now in (0..3_600_000).step_by(500) {
            for last in &mut last {
                if floor.refresh(namespace, at(*last), at(now)) == Refresh::Now {
                    (*last, refreshes) = (now, refreshes + 1);
                }
            }
        }
        refreshes
    }

    #[test]
    fn a_burst_goes_at_the_declared_interval_and_the_rest_at_the_floor() {
        let mut floor = RefreshFloor::new(Duration::from_secs(10));
        assert_eq!(floor.refresh(1, at(0), at(1)), Refresh::Later(at(1_000)));
        let mut now = 0;
        for _ in 0..120 {
            assert_eq!(floor.refresh(1, at(now), at(now + 1_000)), Refresh::Now);
            now += 1_000;
        }

        // Twelve more were earned meanwhile.
        let early = (0..40).take_while(|_| {
            let refresh = floor.refresh(1, at(now), at(now + 1_000));
            now += 1_000;
            refresh == Refresh::Now
        });
        assert!((12..=14).contains(&early.count()));
        let floored = floor.refresh(1, at(now), at(now + 1_000));
        assert_eq!(floored, Refresh::Floored(at(now + 10_000)));
        assert_eq!(floor.refresh(1, at(now), at(now + 10_000)), Refresh::Now);
        assert_eq!(floor.refresh(2, at(now), at(now + 1_000)), Refresh::Now);
    }

    #[test]
    fn a_namespace_gains_little_over_the_floor_however_many_objects_it_has() {
        for objects in [1, 100] {
            let mut floor = RefreshFloor::new(Duration::from_secs(10));
            let refreshes = within_an_hour(&mut floor, 1, objects);

            assert!(refreshes <= 360 * objects + 120 + 361, "{refreshes}");
        }
    }

    #[test]
    fn intervals_above_the_floor_cost_nothing() {
        let mut floor = RefreshFloor::new(Duration::from_secs(10));

        for namespace in 0..10_000 {
            assert_eq!(floor.refresh(namespace, at(0), at(10_000)), Refresh::Now);
        }

        assert!(floor.credits.is_empty());
    }

    #[test]
    fn without_a_floor_nothing_is_held_up() {
        let mut floor = RefreshFloor::new(Duration::ZERO);

        assert_eq!(floor.refresh(1, at(5), at(5)), Refresh::Now);
    }
}
