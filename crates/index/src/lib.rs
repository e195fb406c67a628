//! What the cluster looks like: slim rows of watched objects, the links between them, and who is
//! requeued by what. Pure: no client, no runtime, no clock; an event goes in, wakes come out.

mod index;
mod inputs_of;
mod key;
mod lookup;
mod rows;
mod rules;
mod seen;
mod wake;

pub use index::Index;
pub use key::ObjectKey;
pub use rows::*;
pub use rules::generator_state_seen;
pub use seen::Seen;
pub use wake::{Queued, Requeue, Trigger, Wake, Wakes, When};
