//! Limits on what one path may cost.
//!
//! Paths come from users of a shared operator: `[@this,@this]|[@this,@this]|…` doubles its output
//! at each step, and `@dig:@dig:…` multiplies its work.

use std::cell::Cell;

const WORK: usize = 64 << 20;
const DEPTH: usize = 300;

/// What is left of the allowance of one call.
pub(super) struct Budget {
    work: Cell<usize>,
    depth: Cell<usize>,
}

impl Budget {
    pub(super) fn for_input(json: &[u8]) -> Self {
        let work = json.len().saturating_mul(64).saturating_add(WORK);
        Self {
            work: Cell::new(work),
            depth: Cell::new(DEPTH),
        }
    }

    /// Takes `cost` bytes of work or output; false once the allowance is used up.
    pub(super) fn spend(&self, cost: usize) -> bool {
        let left = self.work.get().checked_sub(cost);
        self.work.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Runs `inner` one level deeper, or not at all if that is too deep.
    pub(super) fn nested<T>(&self, inner: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get().checked_sub(1)?;
        self.depth.set(depth);
        let result = inner();
        self.depth.set(depth + 1);
        Some(result)
    }
}
