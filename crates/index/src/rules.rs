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

#[cfg(test)]
mod tests;

use jiff::Timestamp;

use crate::event::Event;
use crate::index::Index;
use crate::wake::Wakes;

impl Index {
    /// Takes an event of a watch into the tables and returns what follows from it.
    pub fn apply(&self, event: Event, now: Timestamp) -> Wakes {
        match event {
            Event::ExternalSecret(seen) => self.external_secret_seen(seen, now),
            Event::PushSecret(seen) => self.push_secret_seen(seen),
            Event::ClusterExternalSecret(seen) => self.parent_seen(seen),
            Event::ClusterPushSecret(seen) => self.parent_seen(seen),
            Event::GeneratorState(seen) => generator_state::seen(seen, now),
            Event::Store(kind, seen) => self.store_seen(kind, seen, now),
            Event::Target(seen) => self.target_seen(seen, now),
            Event::ManifestTarget(kind, seen) => self.manifest_target_seen(&kind, seen, now),
            Event::Namespace(seen) => self.namespace_seen(seen, now),
            Event::Input(kind, seen) => self.input_kind_seen(&kind, seen, now),
        }
    }
}
