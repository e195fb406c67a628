//! The provider against a real API server: every way to sign in, reading, searching, writing, and
//! what the server refuses. `LOCKSTEP_TEST_CLUSTER` names a running one; otherwise one is started.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod bench;
mod read;
mod sign_in;
mod write;
