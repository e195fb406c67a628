//! The controllers: watches, the mirror they feed, queues, and the world of an API server. Thin
//! input and output around `lockstep-engine`; every decision is `lockstep-plan`'s.

mod config;
mod events;
mod external_secret;
mod gate;
mod generator;
mod generic;
mod key;
mod mirror;
mod run;
mod scrape;
mod shared;
mod sources;
mod store;
mod watches;
mod world;

pub use config::Config;
pub use run::{Edges, run};
