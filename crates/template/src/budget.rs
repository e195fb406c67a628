//! What all templates of one object may use together: steps, output, memory and time. Each execution
//! takes from it, and so may the caller for work of its own on the same object, such as regular
//! expressions. It measures nothing itself: whether the time is up is asked of the caller's clock.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::limits::{Deadline, Exceeded, Left, Limits, Meter};

/// What is left of the limits of one object.
pub struct Budget {
    limits: Limits,
    left: Cell<Left>,
    exhausted: Cell<bool>,
    deadline: Option<Deadline>,
}

impl Budget {
    /// All of `limits`.
    pub fn new(limits: Limits) -> Self {
        let left = Left {
            steps: limits.steps,
            output: limits.output,
            memory: limits.memory,
            unseen: 0,
        };
        Self {
            limits,
            left: Cell::new(left),
            exhausted: Cell::new(false),
            deadline: None,
        }
    }

    /// Ends executions once `passed` says so; `limit` is what the error names.
    #[must_use]
    pub fn with_deadline(
        mut self,
        limit: Duration,
        passed: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        let passed = Arc::new(passed);
        self.deadline = Some(Deadline { limit, passed });
        self
    }

    /// Whether something was refused because it would exceed a limit.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.get()
    }

    /// Takes `steps` of work and `memory` bytes of values made, before they are made.
    pub fn spend(&self, steps: u64, memory: usize) -> Result<(), Exceeded> {
        let mut meter = self.meter();
        let spent = meter.step(steps).and_then(|()| meter.charge(memory));
        self.settle(&meter, 0, spent.is_err());
        spent
    }

    pub(crate) fn meter(&self) -> Meter {
        Meter::new(self.limits, self.left.get(), self.deadline.clone())
    }

    /// Takes back what an execution left, which wrote `output` bytes.
    pub(crate) fn settle(&self, meter: &Meter, output: usize, exceeded: bool) {
        let left = meter.left();
        self.left.set(Left {
            output: left.output.saturating_sub(output),
            ..left
        });
        self.exhausted.set(self.exhausted.get() || exceeded);
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Budget({:?})", self.left.get())
    }
}
