//! The runtime against a real API server: what only a server can prove.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail the test"
)]

mod apply;
mod authorize;
mod events;
mod lease;
mod objects;
mod place;
mod watch;
