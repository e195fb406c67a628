//! The provider as a whole, against an API server in memory.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod bench;
mod connect;
mod find;
mod read;
mod server;
