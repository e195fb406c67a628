//! The series every controller has under controller-runtime's and client-go's names: results and
//! duration of runs, and the state of the work queue. The queue's state is asked for at scrape.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;

use super::text::{Kind, Text};
use super::value::{Counter, Gauge, Histogram, number};
use crate::clock::Stopwatch;

const RUN_BOUNDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];
const QUEUE_BOUNDS: &[f64] = &[
    1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0,
];

/// How a run ended, as the label `result` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunResult {
    /// Nothing more to do.
    Success,
    /// It failed.
    Error,
    /// It wants to run again soon.
    Requeue,
    /// It has a next deadline.
    RequeueAfter,
}

impl RunResult {
    const ALL: [Self; 4] = [
        Self::Error,
        Self::Requeue,
        Self::RequeueAfter,
        Self::Success,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Requeue => "requeue",
            Self::RequeueAfter => "requeue_after",
        }
    }
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Objects ready to run.
    pub objects: usize,
    /// How long the longest waiting one has been ready.
    pub oldest: Duration,
}

/// Tells what is ready to run.
pub type QueueState = Box<dyn Fn() -> Waiting + Send + Sync>;

/// The series of one controller.
pub struct ControllerMetrics {
    name: &'static str,
    results: [Counter; 4],
    panics: Counter,
    run_time: Histogram,
    max_concurrent: Gauge,
    adds: Counter,
    retries: Counter,
    queue_time: Histogram,
    work_time: Histogram,
    running: Mutex<Running>,
    queue: OnceLock<QueueState>,
}

#[derive(Default)]
struct Running {
    next: u64,
    since: BTreeMap<u64, Stopwatch>,
}

impl ControllerMetrics {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            results: std::array::from_fn(|_| Counter::default()),
            panics: Counter::default(),
            run_time: Histogram::new(RUN_BOUNDS),
            max_concurrent: Gauge::default(),
            adds: Counter::default(),
            retries: Counter::default(),
            queue_time: Histogram::new(QUEUE_BOUNDS),
            work_time: Histogram::new(QUEUE_BOUNDS),
            running: Mutex::default(),
            queue: OnceLock::new(),
        }
    }

    /// Value of the label `controller`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sets how the queue's state is found and how many runs go at once.
    pub fn attach(&self, concurrency: usize, queue: QueueState) {
        self.max_concurrent
            .set(i64::try_from(concurrency).unwrap_or(i64::MAX));
        // A second queue under one name keeps the first's state.
        let _ = self.queue.set(queue);
    }

    /// An object was put into the queue.
    pub fn added(&self) {
        self.adds.increment();
    }

    /// An object was put off by back-off.
    pub fn retried(&self) {
        self.retries.increment();
    }

    /// A run panicked.
    pub fn panicked(&self) {
        self.panics.increment();
    }

    /// A run starts after waiting in the queue. It is under way until [`Run::end`] or its drop.
    pub fn start(self: &Arc<Self>, waited: Duration) -> Run {
        self.queue_time.observe(waited);
        let watch = Stopwatch::start();
        let mut running = self.running.lock();
        running.next += 1;
        let id = running.next;
        running.since.insert(id, watch);
        drop(running);
        Run {
            metrics: Arc::clone(self),
            id,
            watch,
        }
    }

    /// Number of runs that ended so.
    pub fn ended(&self, result: RunResult) -> u64 {
        self.result(result).get()
    }

    /// Number of runs that panicked.
    pub fn panics(&self) -> u64 {
        self.panics.get()
    }

    fn result(&self, result: RunResult) -> &Counter {
        &self.results[result as usize]
    }

    fn waiting(&self) -> Waiting {
        self.queue
            .get()
            .map_or_else(Waiting::default, |queue| queue())
    }

    fn ages(&self) -> Vec<Duration> {
        let running = self.running.lock();
        running.since.values().map(Stopwatch::elapsed).collect()
    }
}

/// One run under way.
pub struct Run {
    metrics: Arc<ControllerMetrics>,
    id: u64,
    watch: Stopwatch,
}

impl Run {
    /// Counts the run's result and duration.
    pub fn end(self, result: RunResult) {
        let took = self.watch.elapsed();
        self.metrics.run_time.observe(took);
        self.metrics.work_time.observe(took);
        self.metrics.result(result).increment();
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.metrics.running.lock().since.remove(&self.id);
    }
}

/// Writes the series of all controllers, family by family.
pub(super) fn render(controllers: &[Arc<ControllerMetrics>], text: &mut Text) {
    if controllers.is_empty() {
        return;
    }
    runs(controllers, text);
    queues(controllers, text);
}

type Controllers<'a> = &'a [Arc<ControllerMetrics>];

fn runs(controllers: Controllers<'_>, text: &mut Text) {
    let name = "controller_runtime_reconcile_total";
    text.family(
        name,
        Kind::Counter,
        "Number of runs by controller and result",
    );
    for controller in controllers {
        for result in RunResult::ALL {
            let labels = [("controller", controller.name), ("result", result.word())];
            text.sample(name, &labels, number(controller.ended(result)));
        }
    }
    let counter = |text: &mut Text, name: &str, help: &str, of: fn(&ControllerMetrics) -> u64| {
        text.family(name, Kind::Counter, help);
        for controller in controllers {
            let labels = [("controller", controller.name)];
            text.sample(name, &labels, number(of(controller)));
        }
    };
    let failed = |controller: &ControllerMetrics| controller.ended(RunResult::Error);
    counter(
        text,
        "controller_runtime_reconcile_errors_total",
        "Number of failed runs",
        failed,
    );
    counter(
        text,
        "controller_runtime_terminal_reconcile_errors_total",
        "Number of runs that failed for good",
        |_| 0,
    );
    counter(
        text,
        "controller_runtime_reconcile_panics_total",
        "Number of runs that panicked",
        ControllerMetrics::panics,
    );
    let name = "controller_runtime_reconcile_time_seconds";
    text.family(name, Kind::Histogram, "Duration of runs");
    for controller in controllers {
        let labels = [("controller", controller.name)];
        controller.run_time.render(text, name, &labels);
    }
    let name = "controller_runtime_max_concurrent_reconciles";
    text.family(name, Kind::Gauge, "Upper bound of runs at once");
    for controller in controllers {
        let limit = u64::try_from(controller.max_concurrent.get()).unwrap_or(0);
        text.sample(name, &[("controller", controller.name)], number(limit));
    }
    let name = "controller_runtime_active_workers";
    text.family(name, Kind::Gauge, "Runs under way");
    for controller in controllers {
        let active = controller.ages().len() as u64;
        text.sample(name, &[("controller", controller.name)], number(active));
    }
}

fn queues(controllers: Controllers<'_>, text: &mut Text) {
    let name = "workqueue_depth";
    text.family(name, Kind::Gauge, "Objects ready to run");
    for controller in controllers {
        let mut labels = queue_labels(controller).to_vec();
        labels.push(("priority", ""));
        let depth = controller.waiting().objects as u64;
        text.sample(name, &labels, number(depth));
    }
    let name = "lockstep_queue_oldest_seconds";
    text.family(
        name,
        Kind::Gauge,
        "How long the longest waiting object has been ready to run",
    );
    for controller in controllers {
        let oldest = controller.waiting().oldest.as_secs_f64();
        text.sample(name, &[("controller", controller.name)], oldest);
    }
    let counter = |text: &mut Text, name: &str, help: &str, of: fn(&ControllerMetrics) -> u64| {
        text.family(name, Kind::Counter, help);
        for controller in controllers {
            text.sample(name, &queue_labels(controller), number(of(controller)));
        }
    };
    counter(
        text,
        "workqueue_adds_total",
        "Objects put into the queue",
        |controller| controller.adds.get(),
    );
    counter(
        text,
        "workqueue_retries_total",
        "Objects put off by back-off",
        |controller| controller.retries.get(),
    );
    let name = "workqueue_queue_duration_seconds";
    text.family(
        name,
        Kind::Histogram,
        "How long objects were ready before they ran",
    );
    for controller in controllers {
        let labels = queue_labels(controller);
        controller.queue_time.render(text, name, &labels);
    }
    let name = "workqueue_work_duration_seconds";
    text.family(name, Kind::Histogram, "How long runs took");
    for controller in controllers {
        let labels = queue_labels(controller);
        controller.work_time.render(text, name, &labels);
    }
    let name = "workqueue_unfinished_work_seconds";
    text.family(name, Kind::Gauge, "Age of all runs under way, added up");
    for controller in controllers {
        let total: Duration = controller.ages().iter().sum();
        text.sample(name, &queue_labels(controller), total.as_secs_f64());
    }
    let name = "workqueue_longest_running_processor_seconds";
    text.family(name, Kind::Gauge, "Age of the longest run under way");
    for controller in controllers {
        let longest = controller.ages().into_iter().max().unwrap_or_default();
        text.sample(name, &queue_labels(controller), longest.as_secs_f64());
    }
}

fn queue_labels(controller: &ControllerMetrics) -> [(&'static str, &'static str); 2] {
    [("controller", controller.name), ("name", controller.name)]
}
