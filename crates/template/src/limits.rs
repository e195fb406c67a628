//! How much the templates of one object may use, and the meter that counts it.
//!
//! Go's engine has no such limits; the defaults are far above what a Secret needs (it holds 1 MiB)
//! and low enough that a hostile object does not take memory or time from others.

use std::sync::Arc;
use std::time::Duration;

/// Bounds of one budget: of one execution, or of all executions that share a [`crate::Budget`].
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
            output: 2 << 20,
            memory: 24 << 20,
            depth: 100_000,
        }
    }
}

/// How deep values may nest where they are walked: printed, encoded, copied, compared.
pub(crate) const MAX_NESTING: usize = 400;

/// The limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Exceeded {
    /// More work than allowed.
    #[error("execution exceeds the limit of {0} steps")]
    Steps(u64),
    /// More output than allowed.
    #[error("output exceeds the limit of {0} bytes")]
    Output(usize),
    /// More bytes of values than allowed.
    #[error("values exceed the memory limit of {0} bytes")]
    Memory(usize),
    /// The time is up.
    #[error("execution takes longer than {} s", .0.as_secs())]
    Time(Duration),
    /// Values nest too deep to be walked.
    #[error("values nest deeper than the limit of {MAX_NESTING}")]
    Nesting,
}

/// What is left of a budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    pub(crate) steps: u64,
    pub(crate) output: usize,
    pub(crate) memory: usize,
    /// Steps since the deadline was looked at.
    pub(crate) unseen: u64,
}

/// A limit in time: how long, and a question whether that has passed.
#[derive(Clone)]
pub(crate) struct Deadline {
    pub(crate) limit: Duration,
    pub(crate) passed: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// Steps after which the deadline is looked at again; a clock costs more than a step.
const STEPS_PER_LOOK: u64 = 2_000;

/// Counts what an execution uses.
pub(crate) struct Meter {
    limits: Limits,
    left: Left,
    deadline: Option<Deadline>,
}

impl Meter {
    pub(crate) fn new(limits: Limits, left: Left, deadline: Option<Deadline>) -> Self {
        Self {
            limits,
            left,
            deadline,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What is left.
    pub(crate) fn left(&self) -> Left {
        self.left
    }

    /// Counts `n` steps.
    pub(crate) fn step(&mut self, n: u64) -> Result<(), Exceeded> {
        let Some(left) = self.left.steps.checked_sub(n) else {
            return Err(Exceeded::Steps(self.limits.steps));
        };
        self.left.steps = left;
        self.left.unseen = self.left.unseen.saturating_add(n);
        if self.left.unseen >= STEPS_PER_LOOK
            && let Some(deadline) = &self.deadline
        {
            self.left.unseen = 0;
            if (deadline.passed)() {
                return Err(Exceeded::Time(deadline.limit));
            }
        }
        Ok(())
    }

    /// Counts `bytes` of new values; call before making them.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.left.memory = self
            .left
            .memory
            .checked_sub(bytes)
            .ok_or(Exceeded::Memory(self.limits.memory))?;
        Ok(())
    }

    /// Counts a list or map of `n` elements.
    pub(crate) fn charge_items(&mut self, n: usize) -> Result<(), Exceeded> {
        self.charge(n.saturating_mul(size_of::<crate::value::Value>()))
    }

    /// Refuses a text of `bytes` that is being made and not counted yet.
    pub(crate) fn fits(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes > self.left.memory {
            return Err(Exceeded::Memory(self.limits.memory));
        }
        Ok(())
    }

    /// Refuses `bytes` of output in all.
    pub(crate) fn writes(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes > self.left.output {
            return Err(Exceeded::Output(self.limits.output));
        }
        Ok(())
    }
}
