//! One run of one object, whatever world it lives in: observe, decide, fetch, plan, apply, report.
//!
//! Decisions are `lockstep-plan`'s; reads and writes go through [`World`] and [`Reads`]. The
//! controllers run this over an API server, `lockstep local` over a folder of manifests.

mod batch;
pub mod connections;
pub mod credentials;
pub mod external_secret;
mod fetch;
mod generators;
pub mod planning;
pub mod push_secret;
pub mod push_world;
pub mod reads;
mod remote_generator;
pub mod store;
pub mod store_record;
pub mod world;

pub use connections::Connections;
pub use fetch::StoreSource;
pub use planning::Planning;
pub use push_world::PushWorld;
pub use reads::Reads;
pub use store_record::StoreRecord;
pub use world::{Deletion, Generator, World, WorldError};
