//! Fair choices from random bytes, and the form in which key generation takes them.

use std::convert::Infallible;

use lockstep_provider_api::Random;
use rsa::rand_core::{TryCryptoRng, TryRng};

/// Random bytes of the operating system.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, bytes: &mut [u8]) {
        // The source is there on every system this runs on; without it no secret may be made.
        while getrandom::fill(bytes).is_err() {}
    }
}

/// Random bytes in the form that the crates for keys take.
pub(crate) struct KeyRandom<'a>(pub(crate) &'a mut dyn Random);

impl TryRng for KeyRandom<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for KeyRandom<'_> {}

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
    fn bytes_of_the_operating_system_are_spread_evenly_and_never_repeat() {
        let mut bytes = vec![0; 256 * 1024];
        SystemRandom.fill(&mut bytes);

        let mut counts = [0u32; 256];
        for byte in &bytes {
            counts[usize::from(*byte)] += 1;
        }
        // Chi-square with 255 degrees of freedom: beyond 400 once in ten million runs.
        let expected = 1024.0;
        let distance: f64 = counts
            .iter()
            .map(|count| (f64::from(*count) - expected).powi(2) / expected)
            .sum();
        assert!((130.0..400.0).contains(&distance), "{distance}");
        let blocks: std::collections::BTreeSet<&[u8]> = bytes.chunks(16).collect();
        assert_eq!(blocks.len(), bytes.len() / 16);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut random = Counting::default();

        let seen: std::collections::BTreeSet<usize> =
            (0..500).map(|_| below(&mut random, 7)).collect();

        assert_eq!(seen, (0..7).collect());
    }
}
