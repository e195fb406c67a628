//! How long a failing object waits: one second, doubled with each failure in a row, seven minutes
//! at most, and up to a fifth less by chance so that objects that failed together spread out.
//! Pure: the chance is an argument.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

const BASE: Duration = Duration::from_secs(1);
const CAP: Duration = Duration::from_mins(7);

/// Largest share of the delay that chance takes away.
const JITTER: f64 = 0.2;

/// The delay after `failures` failures in a row (at least one); `chance` lies in `0.0..1.0`.
pub fn delay(failures: u32, chance: f64) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
    let full = BASE.saturating_mul(doubled).min(CAP);
    full.mul_f64(1.0 - JITTER * chance.clamp(0.0, 1.0))
}

/// Failures in a row by object; only failing objects take memory.
#[derive(Debug)]
pub struct Backoff<K> {
    failures: HashMap<K, u32>,
}

impl<K> Default for Backoff<K> {
    fn default() -> Self {
        Self {
            failures: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash> Backoff<K> {
    /// Counts a failure and says how long to wait.
    pub fn failed(&mut self, key: K, chance: f64) -> Duration {
        let failures = self.failures.entry(key).or_insert(0);
        *failures = failures.saturating_add(1);
        delay(*failures, chance)
    }

    /// Forgets the failures of an object that succeeded or is gone.
    pub fn reset(&mut self, key: &K) {
        self.failures.remove(key);
    }

    /// Number of failures in a row.
    pub fn failures(&self, key: &K) -> u32 {
        self.failures.get(key).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_from_one_second_to_seven_minutes() {
        let mut backoff = Backoff::default();

        let delays: Vec<u64> = (0..12)
            .map(|_| backoff.failed("a", 0.0).as_secs())
            .collect();

        assert_eq!(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 420, 420, 420]);
    }

    #[test]
    fn chance_takes_away_a_fifth_at_most_and_never_adds() {
        assert_eq!(delay(4, 0.0), Duration::from_secs(8));
        assert_eq!(delay(4, 1.0), Duration::from_millis(6400));
        assert_eq!(delay(u32::MAX, 0.0), CAP);
    }

    #[test]
    fn success_starts_over() {
        let mut backoff = Backoff::default();
        backoff.failed("a", 0.0);
        backoff.failed("a", 0.0);

        backoff.reset(&"a");

        assert_eq!(backoff.failures(&"a"), 0);
        assert_eq!(backoff.failed("a", 0.0), BASE);
    }
}
