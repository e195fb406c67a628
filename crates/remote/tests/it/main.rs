//! Reads through real providers over a wire under control: who gets whose answer, and how often the
//! wire is used.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod attack;
mod bench;
mod clock;
mod failing_keys;
mod isolation;
mod reads;
