//! The controllers: watches, queues, and the world of an API server. Thin
//! input and output around `lockstep-reconcile`; every decision is `lockstep-plan`'s.

mod api_server;
mod carry_out;
mod config;
mod context;
mod deletion_guard;
mod external_secret;
mod fan_out;
mod generator_state;
mod namespace_labels;
mod next;
mod push_secret;
mod refresh_floor;
mod schedule;
mod series;
mod sharing;
mod start;
mod store;
mod watch;
mod watch_scope;
mod world;

pub use config::Config;
pub use start::{Edges, run};
