//! A token bucket: so many requests a second, and so many at once after a pause. Pure: time since
//! the start is an argument, and the answer is how long to wait.

use std::time::Duration;

/// A limit of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Requests a second.
    pub per_second: f64,
    /// Requests that may go at once.
    pub burst: u32,
}

/// The state of a limit.
#[derive(Debug)]
pub(super) struct Budget {
    rate: Rate,
    tokens: f64,
    last: Duration,
}

impl Budget {
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            tokens: f64::from(rate.burst.max(1)),
            last: Duration::ZERO,
        }
    }

    /// Takes one request out of the budget and says how long it has to wait.
    pub(super) fn take(&mut self, now: Duration) -> Duration {
        let passed = now.saturating_sub(self.last).as_secs_f64();
        self.last = self.last.max(now);
        let full = f64::from(self.rate.burst.max(1));
        self.tokens = (self.tokens + passed * self.rate.per_second).min(full) - 1.0;
        if self.tokens >= 0.0 {
            return Duration::ZERO;
        }
        let wait = -self.tokens / self.rate.per_second;
        Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        per_second: 10.0,
        burst: 3,
    };

    #[test]
    fn a_burst_goes_at_once_and_the_rest_is_spread() {
        let mut budget = Budget::new(RATE);

        let waits: Vec<u128> = (0..5)
            .map(|_| budget.take(Duration::ZERO).as_millis())
            .collect();

        assert_eq!(waits, [0, 0, 0, 100, 200]);
    }

    #[test]
    fn a_pause_fills_the_bucket_to_the_burst_and_no_further() {
        let mut budget = Budget::new(RATE);
        for _ in 0..3 {
            budget.take(Duration::ZERO);
        }
        let later = Duration::from_hours(1);

        let waits: Vec<u128> = (0..4).map(|_| budget.take(later).as_millis()).collect();

        assert_eq!(waits, [0, 0, 0, 100]);
    }
}
