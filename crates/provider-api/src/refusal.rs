//! Whether the identity may look at secrets and versions without reading them. Reading gets along
//! without that right; one refusal is believed for a while, because somebody may grant it.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// Seconds after which a refused right is tried again.
const BELIEVED_FOR: i64 = 30 * 60;

/// Until when the right is known to be missing; in seconds, 0 for never.
#[derive(Debug, Default)]
pub struct Refusal(AtomicI64);

impl Refusal {
    /// Whether the right is known to be missing.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.0.load(Ordering::Relaxed) > now.as_second()
    }

    /// Notes that the right was refused.
    pub fn note(&self, now: Timestamp) {
        let until = now.as_second().saturating_add(BELIEVED_FOR);
        self.0.store(until, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_believed_for_half_an_hour() {
        let refusal = Refusal::default();
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        assert!(!refusal.holds(at(1000)));

        refusal.note(at(1000));

        assert!(refusal.holds(at(1000 + 1799)));
        assert!(!refusal.holds(at(1000 + 1800)));
    }
}
