//! Whole runs of the planner against a world in memory: case folders and properties.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod cases;
mod fields;
mod policies;
mod properties;
mod remote;
mod trace;
mod world;
