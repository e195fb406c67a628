//! Thins out floods as zap's sampler does: of one message, the first hundred in a second and then
//! every hundredth. Messages share counters by hash; a collision only thins out sooner.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

const FIRST: u32 = 100;
const THEREAFTER: u32 = 100;
const COUNTERS: usize = 512;

/// Counters of messages in the present second.
pub(super) struct Sampler {
    hasher: RandomState,
    /// Second in the upper half, count in the lower.
    counters: Box<[AtomicU64]>,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            counters: (0..COUNTERS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Sampler {
    /// Whether this occurrence of a message is written.
    pub(super) fn passes(&self, message: &impl Hash, second: i64) -> bool {
        let place = self.hasher.hash_one(message) % COUNTERS as u64;
        let Some(counter) = usize::try_from(place)
            .ok()
            .and_then(|place| self.counters.get(place))
        else {
            return true;
        };
        let second = second.cast_unsigned() & u64::from(u32::MAX);
        let count = |old: u64| {
            let same = old >> 32 == second;
            let seen = if same { old & u64::from(u32::MAX) } else { 0 };
            second << 32 | (seen + 1).min(u64::from(u32::MAX))
        };
        let old =
            counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(count(old)));
        let now = count(old.unwrap_or_else(|old| old));
        let number = u32::try_from(now & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        number <= FIRST || (number - FIRST).is_multiple_of(THEREAFTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_thinned_out_and_the_next_second_starts_anew() {
        let sampler = Sampler::default();

        let written = |second| {
            (0..1000)
                .filter(|_| sampler.passes(&"same", second))
                .count()
        };

        assert_eq!(written(5), 109);
        assert_eq!(written(6), 109);
    }
}
