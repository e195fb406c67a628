//! Runs what the schedule hands out: a bounded number of runs at once, each supervised, each ended
//! with a word about when to run next. Knows nothing about what a run does.

use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::context::Time;
use tokio::sync::Notify;

use crate::backoff::Backoff;
use crate::metrics::{ControllerMetrics, RunResult, Waiting};
use crate::schedule::{Job, Run, Schedule, Stats};
use crate::shutdown::Shutdown;
use crate::supervise::{Outcome, TaskGroup, supervise};
use crate::sync::lock;

mod places;
#[cfg(test)]
mod tests;

pub use places::ClassOf;
use places::{Placed, Places};

/// Runs at once when nobody says how many. Runs wait for the network nearly all the time, and half of
/// the places are the most that runs of one class get.
const AUTOMATIC: usize = 64;

/// Longest sleep, so that a clock that was set forward is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// When an object runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Not before something happens. Ends the back-off.
    Idle,
    /// At this time, or sooner if something happens. Ends the back-off.
    At(Timestamp),
    /// Soon, without having failed: a conflict or a state that needs another look. Backs off.
    Again,
    /// It failed; the back-off says when.
    Failed,
    /// The same, but it waits no longer than this.
    FailedWithin(Duration),
    /// It failed, and this is when to try again. Leaves the back-off as it is.
    FailedUntil(Timestamp),
}

impl Next {
    fn result(self) -> RunResult {
        match self {
            Self::Idle => RunResult::Success,
            Self::At(_) => RunResult::RequeueAfter,
            Self::Again => RunResult::Requeue,
            Self::Failed | Self::FailedWithin(_) | Self::FailedUntil(_) => RunResult::Error,
        }
    }
}

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
            Self::Automatic => AUTOMATIC,
            Self::AtMost(limit) => limit.max(1),
        }
    }
}

/// How a dispatcher works.
#[derive(Clone)]
pub struct Settings {
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

impl Settings {
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
    shared: Arc<Shared<K>>,
    settings: Settings,
}

/// Puts objects into the queue of a dispatcher.
pub struct Handle<K>(Arc<Shared<K>>);

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

struct Shared<K> {
    queue: Mutex<Queue<K>>,
    places: Mutex<Places<K>>,
    changed: Notify,
    time: Arc<dyn Time>,
    metrics: Arc<ControllerMetrics>,
}

struct Queue<K> {
    schedule: Schedule<K>,
    backoff: Backoff<K>,
}

impl<K: Ord + Clone + Hash> Handle<K> {
    /// Asks for a run as soon as possible.
    pub fn fresh(&self, key: K) {
        let now = self.0.time.now();
        if lock(&self.0.queue).schedule.fresh(key, now) {
            self.0.metrics.added();
            self.0.changed.notify_one();
        }
    }

    /// Sets the deadline of an object, in place of the one it had.
    pub fn due(&self, key: K, at: Timestamp) {
        lock(&self.0.queue).schedule.due(key, at);
        self.0.metrics.added();
        self.0.changed.notify_one();
    }

    /// Forgets an object that is gone.
    pub fn remove(&self, key: &K) {
        let mut queue = lock(&self.0.queue);
        queue.schedule.remove(key);
        queue.backoff.reset(key);
    }

    /// Forgets an object's failures, so that its next one waits a second again.
    pub fn reset_backoff(&self, key: &K) {
        lock(&self.0.queue).backoff.reset(key);
    }

    /// What the queue holds.
    pub fn stats(&self) -> Stats {
        let now = self.0.time.now();
        lock(&self.0.queue).schedule.stats(now)
    }
}

impl<K> Dispatcher<K>
where
    K: Ord + Clone + Hash + Debug + Send + Sync + 'static,
{
    /// An empty dispatcher. Nothing runs before [`Dispatcher::run`].
    pub fn new(settings: Settings) -> Self {
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue {
                schedule: Schedule::default(),
                backoff: Backoff::default(),
            }),
            places: Mutex::new(Places::new(None)),
            changed: Notify::new(),
            time: Arc::clone(&settings.time),
            metrics: Arc::clone(&settings.metrics),
        });
        let queue = Arc::downgrade(&shared);
        let waiting = move || {
            let Some(shared) = queue.upgrade() else {
                return Waiting::default();
            };
            let now = shared.time.now();
            let (aside, oldest) = {
                let places = lock(&shared.places);
                (places.waiting(), places.oldest(now))
            };
            let stats = Handle(shared).stats();
            Waiting {
                objects: stats.fresh + stats.due + aside,
                oldest: stats.oldest.max(oldest),
            }
        };
        let limit = settings.concurrency.limit();
        settings.metrics.attach(limit, Box::new(waiting));
        Self { shared, settings }
    }

    /// Keeps objects of one namespace, and those of one store, from taking every slot. Where a number of runs was asked for, that
    /// number counts and nothing else.
    pub fn by_class(self, class_of: ClassOf<K>) -> Self {
        if self.settings.concurrency == Concurrency::Automatic {
            *lock(&self.shared.places) = Places::new(Some(class_of));
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
                && let Some(placed) = self.shared.next(limit - tasks.len())
            {
                let work = run_one(
                    Arc::clone(&self.shared),
                    Arc::clone(&handler),
                    placed,
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
    shared: Arc<Shared<K>>,
    handler: Arc<H>,
    placed: Placed<K>,
    deadline: Duration,
) where
    K: Ord + Clone + Hash + Debug + Send + Sync + 'static,
    H: Fn(Job<K>) -> F + Send + Sync + 'static,
    F: Future<Output = Next> + Send + 'static,
{
    let Placed { job, class } = placed;
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
    run.end(next.result());
    lock(&shared.places).ended(class);
    shared.finish(&key, this, next);
}

impl<K: Ord + Clone + Hash> Shared<K> {
    /// The next run for one of the `free` places.
    fn next(&self, free: usize) -> Option<Placed<K>> {
        let now = self.time.now();
        let mut places = lock(&self.places);
        if let Some(placed) = places.take(free, now) {
            return Some(placed);
        }
        loop {
            let job = lock(&self.queue).schedule.pop(now)?;
            if let Some(placed) = places.place(job, free, now) {
                return Some(placed);
            }
        }
    }

    fn time_to_deadline(&self) -> Duration {
        let next = lock(&self.queue).schedule.next_deadline();
        let wait = next.map(|at| at.duration_since(self.time.now()));
        let wait = wait.unwrap_or(SignedDuration::MAX);
        // A deadline in the past means zero.
        let wait = Duration::try_from(wait).unwrap_or(Duration::ZERO);
        wait.min(LONGEST_SLEEP)
    }

    fn finish(&self, key: &K, run: Run, next: Next) {
        let chance = fastrand::f64();
        let now = self.time.now();
        let mut queue = lock(&self.queue);
        let at = match next {
            Next::Idle => None,
            Next::At(at) | Next::FailedUntil(at) => Some(at),
            Next::Again | Next::Failed => {
                let delay = queue.backoff.failed(key.clone(), chance);
                Some(later(now, delay))
            }
            Next::FailedWithin(longest) => {
                let delay = queue.backoff.failed(key.clone(), chance);
                Some(later(now, delay.min(longest)))
            }
        };
        match next.result() {
            RunResult::Success | RunResult::RequeueAfter => queue.backoff.reset(key),
            RunResult::Error | RunResult::Requeue => self.metrics.retried(),
        }
        queue.schedule.finish(run, at);
    }
}

fn later(now: Timestamp, delay: Duration) -> Timestamp {
    let delay = SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
    now.checked_add(delay).unwrap_or(Timestamp::MAX)
}
