//! One reconcile of one object, whatever world it lives in: observe, decide, fetch, plan, apply, report.
//!
//! Decisions are `lockstep-plan`'s; reads and writes go through [`World`] and
//! [`RemoteClient`](lockstep_remote::RemoteClient). The controllers run this over an API server, `lockstep local`
//! over a folder of manifests.

pub mod external_secret;
mod failure;
pub mod fan_out;
pub mod generator_state;
mod generator_states;
mod generators;
mod outcome;
pub mod planning;
pub mod push_secret;
pub mod store;
mod template_sources;
pub mod world;

pub use outcome::{Ended, Reconciled};
pub use planning::Planning;
pub use world::{Generator, World};
