//! Limits on what one path may cost.
//!
//! Paths come from users of a shared operator: `[@this,@this]|[@this,@this]|…` doubles its output
//! at each step, and `@dig:@dig:…` multiplies its work. Work is time; output is memory, and has the
//! tighter limit. A limit that was met is remembered, so that the caller can tell it from a miss.

use std::cell::Cell;

/// Longest path, in bytes.
pub(super) const MAX_PATH: usize = 16 << 10;
/// Bytes that may be looked at, beside sixteen times the input.
const WORK: usize = 16 << 20;
/// Bytes that may be made, beside four times the input.
const OUTPUT: usize = 1 << 20;
/// Bytes that may be made, however large the input is.
const MAX_OUTPUT: usize = 32 << 20;
/// Deepest nesting of calls, on stacks of 2 MiB.
const DEPTH: usize = 150;

/// What is left of the allowance of one call.
pub(super) struct Budget {
    work: Cell<usize>,
    output: Cell<usize>,
    depth: Cell<usize>,
    exceeded: Cell<bool>,
}

impl Budget {
    pub(super) fn for_input(json: &[u8]) -> Self {
        let work = json.len().saturating_mul(16).saturating_add(WORK);
        let output = json.len().saturating_mul(4).saturating_add(OUTPUT);
        Self {
            work: Cell::new(work),
            output: Cell::new(output.min(MAX_OUTPUT)),
            depth: Cell::new(DEPTH),
            exceeded: Cell::new(false),
        }
    }

    /// Takes `cost` bytes of work; false once the allowance is used up.
    pub(super) fn spend(&self, cost: usize) -> bool {
        self.take(&self.work, cost)
    }

    /// Takes `cost` bytes of output; false once the allowance is used up.
    pub(super) fn make(&self, cost: usize) -> bool {
        self.take(&self.output, cost)
    }

    /// How many bytes may still be made.
    pub(super) fn room(&self) -> usize {
        self.output.get()
    }

    /// Runs `inner` one level deeper, or not at all if that is too deep.
    pub(super) fn nested<T>(&self, inner: impl FnOnce() -> T) -> Option<T> {
        let Some(depth) = self.depth.get().checked_sub(1) else {
            self.exceeded.set(true);
            return None;
        };
        self.depth.set(depth);
        let result = inner();
        self.depth.set(depth + 1);
        Some(result)
    }

    /// Whether a limit was met.
    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    fn take(&self, from: &Cell<usize>, cost: usize) -> bool {
        let left = from.get().checked_sub(cost);
        from.set(left.unwrap_or(0));
        if left.is_none() {
            self.exceeded.set(true);
        }
        left.is_some()
    }
}
