//! The provider against moto and, where tokens of ServiceAccounts are needed, a real API server:
//! the contract, every identity, reading, searching, writing, and what AWS refuses.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod ambient;
mod bad_input;
mod bench;
mod certificates;
mod conformance;
mod denied;
mod identity;
mod lifecycle;
mod parameters;
mod pushes;
mod secrets;
