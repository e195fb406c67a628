//! Decides when things happen: which object is reconciled next, which remote secret is read again,
//! who shares a read, how many calls a store gets, and when deletions stop.
//!
//! Everything here is a pure state machine with time and chance as arguments: nothing waits, reads a
//! clock or holds a secret value. `lockstep-runtime`, `lockstep-remote` and the controllers drive these
//! machines with a real clock, `cargo xtask simulate` drives the same ones through a simulated day.

#![warn(missing_docs)]

pub mod backoff;
pub mod deletion;
pub mod floor;
pub mod governor;
pub mod groups;
pub mod limits;
pub mod rotation;
pub mod run_queue;
pub mod schedule;
pub mod single_flight;
pub mod slots;

mod deadlines;
mod moment;
mod slab;
