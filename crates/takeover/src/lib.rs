//! `lockstep takeover` and `lockstep handback`: change operators without writing a Secret. Each checks first
//! that the other operator is at rest, and proves afterwards, by resourceVersion, that no Secret moved.
//! Collecting facts, judging them and printing are files of their own.

mod baseline;
mod checks;
mod crds;
mod deployment;
mod foreign_status;
pub mod handback;
mod inventory;
mod operators;
mod patience;
mod report;
pub mod takeover;

pub use lockstep_preview::Edges;
