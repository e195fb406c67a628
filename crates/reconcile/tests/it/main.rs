//! Whole runs over a world in memory: what is written, in which order, and what is left alone.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod attack;
mod bench;
mod clock;
mod failing_keys;
mod isolation;
mod memory;
mod reads;
mod runs;
