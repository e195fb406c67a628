//! The controllers: watches, queues, and the world of an API server. Thin
//! input and output around `lockstep-reconcile`; every decision is `lockstep-plan`'s.

mod api;
mod callers;
mod carry_out;
mod config;
mod deletion;
mod deletion_guard;
mod events;
mod external_secret;
mod fan_out;
mod floor;
mod gate;
mod gauges;
mod generator;
mod generator_state;
mod input_watches;
mod manifest_kinds;
mod manifest_targets;
mod push_secret;
mod push_world;
mod refresh_floor;
mod revision;
mod run;
mod scrape;
mod shared;
mod shared_reads;
mod sharing;
mod staleness;
mod store;
mod store_finalizer;
mod unserved;
mod wake_up;
mod wanted_inputs;
mod watch_loop;
mod world;

pub use config::Config;
pub use run::{Edges, run};
