//! Where planning runs. Most plans are cheap and are made at once with a small budget. One that asks
//! for more is made again off the async workers, in one of few slots that are shared fairly between
//! namespaces, with the whole budget of an object and a limit in time.

mod slots;

use std::sync::Arc;
use std::time::Duration;

use lockstep_plan::{Budget, TemplateLimits};
use lockstep_runtime::blocking::off_workers;
use lockstep_runtime::clock::Stopwatch;

use slots::Slots;

/// Plans that are made at once off the workers. Each may hold the memory of one object's templates.
const SLOTS: usize = 2;
/// How long one plan may take: some RSA keys on a busy machine.
const LONGEST: Duration = Duration::from_secs(30);

/// The slots for expensive plans. Clones share them.
#[derive(Clone)]
pub struct Planning {
    slots: Arc<Slots>,
    longest: Duration,
}

impl Default for Planning {
    fn default() -> Self {
        Self {
            slots: Slots::new(SLOTS),
            longest: LONGEST,
        }
    }
}

impl Planning {
    /// Makes a plan for an object of `namespace`. `make` may be called twice, and what it gave the
    /// first time is dropped then.
    pub async fn make<T>(
        &self,
        namespace: &str,
        limits: TemplateLimits,
        make: impl Fn(&Budget) -> T,
    ) -> T {
        if let Some(plan) = cheaply(limits, &make) {
            return plan;
        }
        let slot = self.slots.take(namespace).await;
        let plan = off_workers(|| {
            let (started, longest) = (Stopwatch::start(), self.longest);
            let passed = move || started.elapsed() > longest;
            make(&Budget::new(limits).with_deadline(longest, passed))
        });
        drop(slot);
        plan
    }
}

/// The plan, if a small budget is enough for it.
fn cheaply<T>(limits: TemplateLimits, make: impl Fn(&Budget) -> T) -> Option<T> {
    let budget = Budget::new(at_once(limits));
    let plan = make(&budget);
    (!budget.is_exhausted()).then_some(plan)
}

/// What may be done on a worker: about a millisecond's work.
fn at_once(limits: TemplateLimits) -> TemplateLimits {
    TemplateLimits {
        steps: limits.steps.min(20_000),
        output: limits.output.min(128 * 1024),
        memory: limits.memory.min(1024 * 1024),
        ..limits
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Makes a plan of so many steps and tells how often it was begun.
    async fn made(planning: &Planning, steps: u64) -> (bool, usize) {
        let begun = Cell::new(0);
        let well = planning
            .make("ns", TemplateLimits::default(), |budget| {
                begun.set(begun.get() + 1);
                (0..steps / 1_000).all(|_| budget.spend(1_000, 0).is_ok())
            })
            .await;
        (well, begun.get())
    }

    #[tokio::test]
    async fn a_cheap_plan_is_made_once_and_needs_no_slot() {
        let none = Planning {
            slots: Slots::new(0),
            longest: LONGEST,
        };

        assert_eq!(made(&none, 10_000).await, (true, 1));
    }

    #[tokio::test]
    async fn an_expensive_plan_is_made_again_with_the_whole_budget() {
        assert_eq!(made(&Planning::default(), 1_000_000).await, (true, 2));
    }

    #[tokio::test]
    async fn a_plan_beyond_the_budget_of_an_object_fails() {
        let (well, _) = made(&Planning::default(), 100_000_000).await;

        assert!(!well);
    }

    #[tokio::test]
    async fn a_plan_that_takes_too_long_fails() {
        let hasty = Planning {
            longest: Duration::ZERO,
            ..Planning::default()
        };

        assert_eq!(made(&hasty, 1_000_000).await, (false, 2));
    }
}
