//! The provider against the test servers of Azure.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod bad_input;
mod bench;
mod conformance;
mod find;
mod identity;
mod lifecycle;
mod push;
mod read;
mod state;
