//! Reconciles the objects of one queue: a bounded number at once, each supervised by a deadline. The
//! order and the slots are [`RunQueue`]'s. Knows nothing about what a reconcile does.

use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::context::Time;
use lockstep_scheduling::limits::RECONCILES_AT_ONCE;
use lockstep_scheduling::run_queue::{QueueStats, RunQueue, Started};
use lockstep_scheduling::slots::Claim;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::metrics::{ControllerMetrics, RunResult, Waiting};
use crate::schedule::{Job, Run};
use crate::shutdown::Shutdown;
use crate::supervise::{Outcome, TaskGroup, supervise};

#[cfg(test)]
mod tests;

pub use lockstep_scheduling::run_queue::Next;

/// Returns what a run of an object occupies; `None` where it waits for nobody.
pub type ClaimOf<K> = Arc<dyn Fn(&K) -> Option<Claim> + Send + Sync>;

/// Longest sleep, so that a clock that was set forward is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// How many runs may go at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// As many as is good.
    #[default]
    Automatic,
    /// At most so many.
    AtMost(usize),
}

impl Concurrency {
    /// What `--concurrent` means: 0 and 1 leave the choice to us, more is an upper bound.
    pub fn from_flag(value: usize) -> Self {
        if value <= 1 {
            Self::Automatic
        } else {
            Self::AtMost(value)
        }
    }

    fn limit(self) -> usize {
        match self {
            Self::Automatic => RECONCILES_AT_ONCE,
            Self::AtMost(limit) => limit.max(1),
        }
    }
}

/// How a dispatcher works.
#[derive(Clone)]
pub struct DispatchSettings {
    /// Runs at once.
    pub concurrency: Concurrency,
    /// Longest time a run may take.
    pub deadline: Duration,
    /// How long runs may go on after a stop was asked for.
    pub grace: Duration,
    /// The clock.
    pub time: Arc<dyn Time>,
    /// Where runs are counted; its name is the controller's.
    pub metrics: Arc<ControllerMetrics>,
}

impl DispatchSettings {
    /// Usual settings: automatic concurrency, two minutes a run, one and a half seconds of grace.
    pub fn new(metrics: Arc<ControllerMetrics>, time: Arc<dyn Time>) -> Self {
        Self {
            concurrency: Concurrency::Automatic,
            deadline: Duration::from_mins(2),
            grace: Duration::from_millis(1500),
            time,
            metrics,
        }
    }
}

/// A queue of objects and what runs them.
pub struct Dispatcher<K> {
    shared: Arc<QueueState<K>>,
    settings: DispatchSettings,
    claim_of: Option<ClaimOf<K>>,
}

/// Puts objects into the queue of a dispatcher.
pub struct Handle<K>(Arc<QueueState<K>>);

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

struct QueueState<K> {
    queue: Mutex<RunQueue<K>>,
    changed: Notify,
    time: Arc<dyn Time>,
    metrics: Arc<ControllerMetrics>,
}

impl<K: Ord + Clone + Hash> Handle<K> {
    /// Asks for a run as soon as possible.
    pub fn fresh(&self, key: K) {
        let now = self.0.time.now();
        if self.0.queue.lock().fresh(key, now) {
            self.0.metrics.added();
            self.0.changed.notify_one();
        }
    }

    /// Sets the deadline of an object, in place of the one it had.
    pub fn due(&self, key: K, at: Timestamp) {
        self.0.queue.lock().due(key, at);
        self.0.metrics.added();
        self.0.changed.notify_one();
    }

    /// Forgets an object that is gone.
    pub fn remove(&self, key: &K) {
        self.0.queue.lock().remove(key);
    }

    /// Forgets an object's failures, so that its next one waits a second again.
    pub fn reset_backoff(&self, key: &K) {
        self.0.queue.lock().reset_backoff(key);
    }

    /// What the queue holds.
    pub fn stats(&self) -> QueueStats {
        let now = self.0.time.now();
        self.0.queue.lock().stats(now)
    }
}

impl<K> Dispatcher<K>
where
    K: Ord + Clone + Hash + Debug + Send + Sync + 'static,
{
    /// An empty dispatcher. Nothing runs before [`Dispatcher::run`].
    pub fn new(settings: DispatchSettings) -> Self {
        let shared = Arc::new(QueueState {
            queue: Mutex::new(RunQueue::default()),
            changed: Notify::new(),
            time: Arc::clone(&settings.time),
            metrics: Arc::clone(&settings.metrics),
        });
        let queue = Arc::downgrade(&shared);
        let waiting = move || {
            let Some(shared) = queue.upgrade() else {
                return Waiting::default();
            };
            let stats = Handle(shared).stats();
            Waiting {
                objects: stats.schedule.fresh + stats.schedule.due + stats.parked,
                oldest: stats.oldest,
            }
        };
        let limit = settings.concurrency.limit();
        settings.metrics.attach(limit, Box::new(waiting));
        Self {
            shared,
            settings,
            claim_of: None,
        }
    }

    /// Keeps objects of one namespace, and those of one store, from taking every slot, and lets objects
    /// that write the same target run one after the other. Where a number of runs was asked for, that
    /// number counts and nothing else.
    pub fn by_claim(mut self, claim_of: ClaimOf<K>) -> Self {
        if self.settings.concurrency == Concurrency::Automatic {
            self.claim_of = Some(claim_of);
        }
        self
    }

    /// Access to the queue.
    pub fn handle(&self) -> Handle<K> {
        Handle(Arc::clone(&self.shared))
    }

    /// Runs objects until a stop is asked for, then lets runs under way end within the grace time.
    pub async fn run<H, F>(self, handler: H, shutdown: Shutdown)
    where
        H: Fn(Job<K>) -> F + Send + Sync + 'static,
        F: Future<Output = Next> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let limit = self.settings.concurrency.limit();
        let mut tasks = TaskGroup::default();
        while !shutdown.is_requested() {
            while tasks.len() < limit
                && let Some(started) = self.next(limit - tasks.len())
            {
                let work = run_one(
                    Arc::clone(&self.shared),
                    Arc::clone(&handler),
                    started,
                    self.settings.deadline,
                );
                tasks.spawn(work);
            }
            let full = tasks.len() >= limit;
            let idle = self.shared.time.sleep(self.shared.time_to_deadline());
            tokio::select! {
                () = shutdown.requested() => {}
                () = tasks.ended(), if !tasks.is_empty() => {}
                () = self.shared.changed.notified() => {}
                () = idle, if !full => {}
            }
        }
        let aborted = tasks.finish(self.settings.grace).await;
        if aborted > 0 {
            let controller = self.settings.metrics.name();
            tracing::warn!(controller, aborted, "reconciles aborted by the stop");
        }
    }
}

async fn run_one<K, H, F>(
    shared: Arc<QueueState<K>>,
    handler: Arc<H>,
    started: Started<K>,
    deadline: Duration,
) where
    K: Ord + Clone + Hash + Debug + Send + Sync + 'static,
    H: Fn(Job<K>) -> F + Send + Sync + 'static,
    F: Future<Output = Next> + Send + 'static,
{
    let Started { job, claim } = started;
    let run = shared.metrics.start(job.waited);
    let controller = shared.metrics.name();
    let (key, this) = (job.key.clone(), job.run);
    let next = match supervise(deadline, async { handler(job).await }).await {
        Outcome::Done(next) => next,
        Outcome::Panicked(panic) => {
            shared.metrics.panicked();
            tracing::error!(controller, object = ?key, %panic, "run panicked");
            Next::Failed
        }
        Outcome::TimedOut => {
            let seconds = deadline.as_secs();
            tracing::error!(controller, object = ?key, seconds, "run exceeded its deadline");
            Next::Failed
        }
    };
    run.end(result(next));
    shared.finish((&key, this, claim), next);
}

/// Maps [`Next`] to the result that metrics count.
fn result(next: Next) -> RunResult {
    match next {
        Next::Idle => RunResult::Success,
        Next::At(_) => RunResult::RequeueAfter,
        Next::Again => RunResult::Requeue,
        Next::Failed | Next::FailedWithin(_) | Next::FailedUntil(_) => RunResult::Error,
    }
}

impl<K: Ord + Clone + Hash> Dispatcher<K> {
    /// Starts the next object in one of the `free` slots.
    fn next(&self, free: usize) -> Option<Started<K>> {
        let (shared, now) = (&self.shared, self.shared.time.now());
        if let Some(parked) = shared.queue.lock().start_parked(free, now) {
            return Some(parked);
        }
        loop {
            let job = shared.queue.lock().pop(now)?;
            // Takes locks of its own, so the queue's is not held here.
            let claim = self.claim_of.as_ref().and_then(|of| of(&job.key));
            if let Some(started) = shared.queue.lock().start(job, claim, free, now) {
                return Some(started);
            }
        }
    }
}

impl<K: Ord + Clone + Hash> QueueState<K> {
    fn time_to_deadline(&self) -> Duration {
        let next = self.queue.lock().next_deadline();
        let wait = next.map(|at| at.duration_since(self.time.now()));
        let wait = wait.unwrap_or(SignedDuration::MAX);
        // A deadline in the past means zero.
        let wait = Duration::try_from(wait).unwrap_or(Duration::ZERO);
        wait.min(LONGEST_SLEEP)
    }

    fn finish(&self, ended: (&K, Run, Option<Claim>), next: Next) {
        let chance = fastrand::f64();
        let now = self.time.now();
        match result(next) {
            RunResult::Success | RunResult::RequeueAfter => {}
            RunResult::Error | RunResult::Requeue => self.metrics.retried(),
        }
        self.queue.lock().finish(ended, next, now, chance);
    }
}
