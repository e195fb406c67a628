//! When things happen: which object runs next, which remote secret is read again, how hard a store
//! is pressed, and when deletions stop. State machines with time and chance as arguments; nothing
//! here waits, reads a clock or holds a secret value. The shells move messages, and the simulation
//! drives the very same code through a day in seconds.

#![warn(missing_docs)]

pub mod backoff;
pub mod deletion;
pub mod floor;
pub mod governor;
pub mod groups;
pub mod rotation;
pub mod schedule;
pub mod slots;

mod deadlines;
mod moment;
mod slab;
