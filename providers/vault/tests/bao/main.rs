//! The provider against a real OpenBao server: the contract, every way to log in that the server has,
//! reading, searching, writing, and what the server refuses.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod bench;
mod conformance;
mod dynamic;
mod finds;
mod ldap;
mod lifecycle;
mod logins;
mod probes;
mod pushes;
mod reads;
mod states;
mod stubs;
