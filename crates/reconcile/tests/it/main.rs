//! Whole runs over a world in memory: what is written, in which order, and what is left alone.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod memory;
mod runs;
