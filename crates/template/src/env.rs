//! What an execution may know of the world: the time it is, a source of randomness, its limits.
//!
//! Nothing else reaches a template: no environment, files, network or clock of its own.

use crate::limits::Limits;

/// A source of random bytes fit for keys.
pub trait Random {
    /// Fills `buffer`, or says why it cannot.
    fn fill(&self, buffer: &mut [u8]) -> Result<(), RandomError>;
}

/// The source of randomness failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no random bytes: {0}")]
pub struct RandomError(pub String);

/// The arguments of an execution beside the data.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// What `now` returns.
    pub now: jiff::Timestamp,
    /// Where keys, salts and passwords come from.
    pub random: &'a dyn Random,
    /// What the execution may use, unless it shares a budget with others.
    pub limits: Limits,
}
