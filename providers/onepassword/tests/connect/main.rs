//! The provider over the real wire, on a Connect server that the vendor's own client proved.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod bench;
mod conformance;
mod find;
mod push;
mod read;
mod state;
