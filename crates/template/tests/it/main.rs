//! The crate's integration tests.
#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod budget;
mod cases;
mod conformance;
mod hostile;
mod limits;
mod model;
#[cfg(feature = "crypto")]
mod page;
mod safety;
mod support;
