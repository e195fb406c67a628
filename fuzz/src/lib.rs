//! Fuzzing of what reads input from outside: templates, paths, patterns and documents.
//!
//! A harness is a plain function of bytes that panics when a property does not hold, so that any
//! driver can call it: the bounded one here, which runs on a stable compiler (`cargo xtask check
//! --fuzz`), and `cargo fuzz` where there is a nightly one.

pub mod harness;
pub mod mutate;
pub mod seeds;
pub mod target;
