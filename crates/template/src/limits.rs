//! How much an execution may use, and the meter that counts it.
//!
//! Go's engine has no such limits; the defaults are far above what a template for a Secret needs
//! (a Secret holds 1 MiB) and low enough to keep a hostile one from hurting its neighbours.

use std::fmt;

/// Bounds of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Evaluated commands, loop rounds and units of work inside functions.
    pub steps: u64,
    /// Bytes of output.
    pub output: usize,
    /// Bytes of values created on the way, counted when created and never given back.
    pub memory: usize,
    /// How deep `{{template}}` may call itself.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 10_000_000,
            output: 16 << 20,
            memory: 256 << 20,
            depth: 100_000,
        }
    }
}

/// How deep values may nest where they are walked: printed, encoded, copied, compared.
pub(crate) const MAX_NESTING: usize = 400;

/// The limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Steps(u64),
    Output(usize),
    Memory(usize),
    Nesting,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(limit) => write!(out, "execution exceeds the limit of {limit} steps"),
            Self::Output(limit) => write!(out, "output exceeds the limit of {limit} bytes"),
            Self::Memory(limit) => write!(out, "values exceed the memory limit of {limit} bytes"),
            Self::Nesting => write!(out, "values nest deeper than the limit of {MAX_NESTING}"),
        }
    }
}

/// Counts what an execution uses.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    steps: u64,
    memory: usize,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            steps: limits.steps,
            memory: limits.memory,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts `n` steps.
    pub(crate) fn step(&mut self, n: u64) -> Result<(), Exceeded> {
        self.steps = self
            .steps
            .checked_sub(n)
            .ok_or(Exceeded::Steps(self.limits.steps))?;
        Ok(())
    }

    /// Counts `bytes` of new values; call before making them.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.memory = self
            .memory
            .checked_sub(bytes)
            .ok_or(Exceeded::Memory(self.limits.memory))?;
        Ok(())
    }

    /// Counts a list or map of `n` elements.
    pub(crate) fn charge_items(&mut self, n: usize) -> Result<(), Exceeded> {
        self.charge(n.saturating_mul(size_of::<crate::value::Value>()))
    }
}
