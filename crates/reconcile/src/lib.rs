//! One reconcile of one object, whatever world it lives in: observe, decide, fetch, plan, apply, report.
//!
//! Decisions are `lockstep-plan`'s; reads and writes go through [`World`] and
//! [`RemoteClient`](lockstep_remote::RemoteClient). The controllers run this over an API server, `lockstep local`
//! over a folder of manifests.

pub mod external_secret;
mod generator_states;
mod generators;
pub mod planning;
pub mod push_secret;
pub mod push_world;
pub mod store;
mod stores;
mod template_sources;
pub mod world;

pub use planning::Planning;
pub use push_world::PushWorld;
pub use stores::Stores;
pub use world::{Deletion, Generator, World, WorldError};
