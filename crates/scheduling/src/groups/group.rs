//! One group by itself: its subscribers' intervals, and when it falls due. Knows nothing of the
//! others, nor of the order in which they are read.

use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::moment::{NEVER, share};

/// Share of the interval by which the next read is put off, so that groups part, and by which it may
/// be brought forward, so that a backend that reads many at once is asked once.
const JITTER: f64 = 0.1;

/// One read, who shares it, and when it is made again.
#[derive(Debug)]
pub(super) struct Group<G> {
    pub(super) key: Arc<G>,
    pub(super) members: BTreeSet<u32>,
    /// Subscribers by interval, of which the shortest one counts. Nearly always one interval.
    intervals: SmallVec<[(i64, u32); 1]>,
    pub(super) fingerprint: u64,
    pub(super) read_at: i64,
    pub(super) due: i64,
    pub(super) reading: bool,
    /// When the first of the failed reads in a row was noted.
    pub(super) failing_since: i64,
}

impl<G> Group<G> {
    /// A group nobody has joined yet.
    pub(super) fn new(key: Arc<G>, fingerprint: u64, read_at: i64) -> Self {
        Self {
            key,
            members: BTreeSet::new(),
            intervals: SmallVec::new(),
            fingerprint,
            read_at,
            due: NEVER,
            reading: false,
            failing_since: NEVER,
        }
    }

    /// Whether it may be read along with another one: it is due within the jitter of its interval,
    /// and its last read did not fail, which would have given it a pause to keep.
    pub(super) fn may_go_along(&self, now: i64) -> bool {
        self.failing_since == NEVER
            && self.due.saturating_sub(now) <= share(self.shortest(), JITTER)
    }

    /// Counts a subscriber's interval.
    pub(super) fn add_interval(&mut self, interval: i64) {
        match self
            .intervals
            .iter_mut()
            .find(|(known, _)| *known == interval)
        {
            Some((_, count)) => *count += 1,
            None => self.intervals.push((interval, 1)),
        }
    }

    /// Takes a subscriber's interval out.
    pub(super) fn drop_interval(&mut self, interval: i64) {
        for (known, count) in &mut self.intervals {
            if *known == interval {
                *count -= 1;
            }
        }
        self.intervals.retain(|(_, count)| *count > 0);
    }

    /// When it is due after its last read. `chance` lies below 1.
    pub(super) fn deadline(&self, chance: f64) -> i64 {
        let shortest = self.shortest();
        self.read_at + shortest + share(shortest, JITTER * chance)
    }

    /// The interval of the most impatient subscriber.
    fn shortest(&self) -> i64 {
        let intervals = self.intervals.iter().map(|(interval, _)| *interval);
        intervals.min().unwrap_or(NEVER / 4)
    }
}
