//! GeneratorStates: which are made, which are no longer needed, and what becomes of one in a run of
//! its own. Nothing here knows how a credential is made or taken back.

mod decide;
mod keep;
#[cfg(test)]
mod tests;

pub use decide::{Decision, decide};
pub use keep::{PUSH_STATE_KEY, StateOwner, deadline_patch, new_state, owner_key, superseded};
