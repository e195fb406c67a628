//! The controllers: watches, the index they feed, queues, and the world of an API server. Thin
//! input and output around `lockstep-reconcile`; every decision is `lockstep-plan`'s.

mod callers;
mod cluster_external_secret;
mod cluster_watches;
mod config;
mod deletion;
mod events;
mod external_secret;
mod gate;
mod gauges;
mod generator;
mod generator_state;
mod generic;
mod inputs;
mod push_secret;
mod push_watches;
mod push_world;
mod refresh_floor;
mod revision;
mod run;
mod scrape;
mod shared;
mod sharing;
mod staleness;
mod store;
mod store_finalizer;
mod wake_up;
mod watches;
mod world;

pub use config::Config;
pub use run::{Edges, run};
