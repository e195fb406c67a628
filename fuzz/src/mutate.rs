//! Makes new inputs of known ones. The same seed gives the same inputs, on every machine.

use fastrand::Rng;

/// The longest input worth making.
const LONGEST: usize = 4096;

/// The longest run of one piece: enough to exhaust a stack that something recurses on.
const LONGEST_RUN: usize = 60_000;

/// Makes inputs of seeds and words.
#[derive(Debug)]
pub struct Mutator<'s> {
    seeds: &'s [Vec<u8>],
    words: &'s [&'s str],
}

impl<'s> Mutator<'s> {
    /// A mutator of these seeds, of which there is at least one.
    pub fn new(seeds: &'s [Vec<u8>], words: &'s [&'s str]) -> Self {
        Self { seeds, words }
    }

    /// The input number `index` of a run.
    pub fn input(&self, seed: u64, index: u64) -> Vec<u8> {
        let mut rng = Rng::with_seed(seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut input = self.pick(&mut rng).to_vec();
        if rng.u8(..) < 40 {
            let at = rng.usize(..=input.len());
            let other = self.pick(&mut rng);
            let from = rng.usize(..=other.len());
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        for _ in 0..rng.u32(..6) {
            self.change(&mut rng, &mut input);
        }
        input.truncate(LONGEST);
        if rng.u8(..) < 6 {
            self.repeat(&mut rng, &mut input);
        }
        input
    }

    /// Puts one or two pieces many times somewhere, which nests what can be nested.
    fn repeat(&self, rng: &mut Rng, input: &mut Vec<u8>) {
        let mut piece = String::new();
        for _ in 0..rng.usize(1..3) {
            let word = self.words.get(rng.usize(..self.words.len().max(1)));
            piece.push_str(word.copied().unwrap_or_default());
        }
        let most = LONGEST_RUN >> rng.u32(..8);
        let run = piece.repeat(most / piece.len().max(1));
        let at = rng.usize(..=input.len());
        input.splice(at..at, run.into_bytes());
    }

    fn pick(&self, rng: &mut Rng) -> &'s [u8] {
        self.seeds
            .get(rng.usize(..self.seeds.len().max(1)))
            .map_or(&[], Vec::as_slice)
    }

    fn change(&self, rng: &mut Rng, input: &mut Vec<u8>) {
        let at = rng.usize(..=input.len());
        let end = (at + rng.usize(..8)).min(input.len());
        match rng.u32(..8) {
            0..=2 => {
                let word = self.words.get(rng.usize(..self.words.len().max(1)));
                input.splice(at..at, word.copied().unwrap_or_default().bytes());
            }
            3 => drop(input.drain(at..end)),
            4 => {
                let copied = input[at..end].repeat(rng.usize(1..4));
                input.splice(at..at, copied);
            }
            5 => input.insert(at, rng.u8(..)),
            6 if end > at => input[at] ^= 1 << rng.u32(..8),
            _ => {
                let word = self.words.get(rng.usize(..self.words.len().max(1)));
                input.splice(at..end, word.copied().unwrap_or_default().bytes());
            }
        }
    }
}
