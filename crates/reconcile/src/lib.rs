//! One run of one object, whatever world it lives in: observe, decide, fetch, plan, apply, report.
//!
//! Decisions are `lockstep-plan`'s; reads and writes go through [`World`] and
//! [`RemoteClient`](lockstep_remote::RemoteClient). The controllers run this over an API server, `lockstep local`
//! over a folder of manifests.

pub mod external_secret;
mod fetch;
mod generator_states;
mod generators;
pub mod planning;
pub mod push_secret;
pub mod push_world;
pub mod store;
pub mod world;

pub use fetch::StoreSource;
pub use planning::Planning;
pub use push_world::PushWorld;
pub use world::{Deletion, Generator, World, WorldError};
