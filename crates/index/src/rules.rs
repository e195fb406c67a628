//! Who is requeued by what: one file a kind that changes. Every rule takes an event or an answer into
//! the tables and returns what follows; nothing here waits, writes or reads a clock.

mod external_secret;
mod fan_out;
mod generator_state;
mod input;
mod namespace;
mod push_secret;
mod store;
mod store_finalizer;
mod target;

pub use generator_state::generator_state_seen;

#[cfg(test)]
mod tests;
