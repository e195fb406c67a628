//! The crate's integration tests.

mod cases;
mod conformance;
