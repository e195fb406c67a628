//! Randomness as an argument, and fair choices from it.

/// A source of random bytes fit for secrets.
pub trait Random {
    /// Fills `bytes`.
    fn fill(&mut self, bytes: &mut [u8]);
}

/// A number below `bound`, every one as likely: bytes that would favour some are thrown away.
pub(crate) fn below(random: &mut dyn Random, bound: usize) -> usize {
    let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
    let fair = u64::MAX - u64::MAX % bound;
    loop {
        let mut bytes = [0; 8];
        random.fill(&mut bytes);
        let number = u64::from_le_bytes(bytes);
        if number < fair {
            return usize::try_from(number % bound).unwrap_or_default();
        }
    }
}

/// A source for tests: counts up, so every test sees the same bytes.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Counting(u64);

#[cfg(test)]
impl Random for Counting {
    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *byte = self.0.to_be_bytes()[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut random = Counting::default();

        let seen: std::collections::BTreeSet<usize> =
            (0..500).map(|_| below(&mut random, 7)).collect();

        assert_eq!(seen, (0..7).collect());
    }
}
