//! One run of one object, whatever world it lives in: observe, decide, fetch, plan, apply, report.
//!
//! Decisions are `lockstep-plan`'s; reads and writes go through [`World`] and [`Connections`]. The
//! controllers run this over an API server, `lockstep local` over a folder of manifests.

pub mod connections;
pub mod external_secret;
pub mod fetch;
mod remote_generator;
pub mod store;
pub mod store_record;
pub mod world;

pub use connections::Connections;
pub use fetch::StoreSource;
pub use store_record::StoreRecord;
pub use world::{Generator, World, WorldError};
