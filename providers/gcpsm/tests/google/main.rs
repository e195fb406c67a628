//! The provider against the test server of Google: the contract, every identity, reading, searching,
//! writing, and what Google refuses. Identities with ServiceAccounts of a real API server are tried
//! by the built operator in `bin/lockstep`.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod bad_input;
mod bench;
mod conformance;
mod federation;
mod finds;
mod identity;
mod lifecycle;
mod probes;
mod pushes;
mod reads;
