//! Watches: one loop for all kinds, the gates that hold reconciles back until the first lists are complete,
//! and what starts watches later. Who is requeued by what they show is decided in `lockstep-index`.

mod follow;
mod gate;
mod gates;
mod inputs;
mod kinds;
mod manifest_targets;
mod revision;

pub(crate) use gates::Gates;
pub(crate) use inputs::keep_starting as keep_starting_inputs;
pub(crate) use kinds::start;
pub(crate) use manifest_targets::watch_kind;
pub(crate) use revision::keep_looking as keep_looking_at_revision;
