//! The dispatcher on tokio's paused clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lockstep_scheduling::slots::Class;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::*;
use crate::metrics::Metrics;

/// How often tasks may run after each step of the clock: more than the dispatcher has stages.
const STEPS: usize = 8;

/// A wall clock that follows tokio's paused one, and may be set.
struct PausedTime {
    start: Instant,
    set_by: AtomicI64,
}

impl PausedTime {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            set_by: AtomicI64::new(0),
        }
    }
}

impl Time for PausedTime {
    fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.start.elapsed()).unwrap();
        let set_by = SignedDuration::from_secs(self.set_by.load(Ordering::Relaxed));
        Timestamp::UNIX_EPOCH + elapsed + set_by
    }

    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(delay).boxed()
    }
}

/// Moves the paused clock on second by second. Tasks run after each step until none can go on.
async fn pass(time: Duration) {
    for _ in 0..time.as_secs() {
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..STEPS {
            tokio::task::yield_now().await;
        }
    }
}

fn dispatcher(concurrency: Concurrency) -> Dispatcher<u32> {
    dispatcher_on(Arc::new(PausedTime::new()), concurrency)
}

fn dispatcher_on(time: Arc<PausedTime>, concurrency: Concurrency) -> Dispatcher<u32> {
    let metrics = Arc::new(Metrics::default()).controller("test");
    Dispatcher::new(DispatchSettings {
        concurrency,
        ..DispatchSettings::new(metrics, time)
    })
}

fn after(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
}

/// Starts the dispatcher with a handler that reports each run and its second.
fn start(
    dispatcher: Dispatcher<u32>,
    answer: impl Fn(u32, usize) -> Next + Send + Sync + 'static,
) -> (mpsc::UnboundedReceiver<(u32, u64)>, Shutdown) {
    let (runs, seen) = mpsc::unbounded_channel();
    let counts = Arc::new(Mutex::new(BTreeMap::<u32, usize>::new()));
    let answer = Arc::new(answer);
    let origin = Instant::now();
    let shutdown = Shutdown::default();
    let handler = move |Job { key, .. }: Job<u32>| {
        let (runs, counts, answer) = (runs.clone(), Arc::clone(&counts), Arc::clone(&answer));
        async move {
            let count = {
                let mut counts = counts.lock();
                let count = counts.entry(key).or_insert(0);
                *count += 1;
                *count
            };
            runs.send((key, origin.elapsed().as_secs())).unwrap();
            answer(key, count)
        }
    };
    tokio::spawn(dispatcher.run(handler, shutdown.clone()));
    (seen, shutdown)
}

#[tokio::test(start_paused = true)]
async fn an_object_runs_when_fresh_and_again_at_its_deadline() {
    let dispatcher = dispatcher(Concurrency::Automatic);
    let handle = dispatcher.handle();
    let (mut runs, _shutdown) = start(dispatcher, |_, count| {
        if count == 1 {
            Next::At(after(3600))
        } else {
            Next::Idle
        }
    });

    handle.fresh(1);

    assert_eq!(runs.recv().await, Some((1, 0)));
    assert_eq!(runs.recv().await, Some((1, 3600)));
}

#[tokio::test(start_paused = true)]
async fn a_panicking_run_is_counted_and_tried_again_with_back_off() {
    let dispatcher = dispatcher(Concurrency::Automatic);
    let handle = dispatcher.handle();
    let metrics = Arc::clone(&dispatcher.settings.metrics);
    let (mut runs, _shutdown) = start(dispatcher, |_, count| {
        assert!(count > 2, "run {count} panics");
        Next::Idle
    });

    handle.fresh(1);

    let mut seconds = Vec::new();
    for _ in 0..3 {
        seconds.push(runs.recv().await.unwrap().1);
    }
    assert_eq!(metrics.panics(), 2);
    assert!(
        seconds[1] <= 1 && seconds[2] <= 3 && seconds[2] >= 2,
        "{seconds:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_back_off_with_a_limit_stays_within_it() {
    let dispatcher = dispatcher(Concurrency::Automatic);
    let handle = dispatcher.handle();
    let longest = Duration::from_secs(30);
    let (mut runs, _shutdown) = start(dispatcher, move |_, _| Next::FailedWithin(longest));

    handle.fresh(1);

    let mut seconds = Vec::new();
    for _ in 0..12 {
        seconds.push(runs.recv().await.unwrap().1);
    }
    let gaps: Vec<u64> = seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps[0] <= 2 && gaps[3] >= 6, "{gaps:?}");
    assert!(gaps.iter().all(|gap| *gap <= 31), "{gaps:?}");
}

#[tokio::test(start_paused = true)]
async fn a_hung_run_ends_at_the_deadline_and_others_go_on() {
    let dispatcher = dispatcher(Concurrency::AtMost(2));
    let handle = dispatcher.handle();
    let metrics = Arc::clone(&dispatcher.settings.metrics);
    let (done, mut seen) = mpsc::unbounded_channel();
    let shutdown = Shutdown::default();
    let handler = move |Job { key, .. }: Job<u32>| {
        let done = done.clone();
        async move {
            if key == 0 {
                std::future::pending::<()>().await;
            }
            done.send(key).unwrap();
            Next::Idle
        }
    };
    tokio::spawn(dispatcher.run(handler, shutdown));

    for key in 0..4 {
        handle.fresh(key);
    }
    for expected in 1..4 {
        assert_eq!(seen.recv().await, Some(expected));
    }
    pass(Duration::from_mins(3)).await;

    assert!(metrics.ended(RunResult::Error) >= 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_runs_end_within_the_grace_time_and_starts_no_more() {
    let dispatcher = dispatcher(Concurrency::AtMost(1));
    let handle = dispatcher.handle();
    let (begun, mut started) = mpsc::unbounded_channel();
    let (ended, mut seen) = mpsc::unbounded_channel();
    let shutdown = Shutdown::default();
    let stopping = shutdown.clone();
    let handler = move |Job { key, .. }: Job<u32>| {
        let (begun, ended, stopping) = (begun.clone(), ended.clone(), stopping.clone());
        async move {
            begun.send(key).unwrap();
            stopping.requested().await;
            ended.send(key).unwrap();
            Next::Idle
        }
    };
    let task = tokio::spawn(dispatcher.run(handler, shutdown.clone()));
    handle.fresh(1);
    handle.fresh(2);
    assert_eq!(started.recv().await, Some(1));

    shutdown.request();
    task.await.unwrap();

    assert_eq!(seen.recv().await, Some(1));
    assert_eq!(seen.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn no_more_runs_than_allowed_go_at_once() {
    let dispatcher = dispatcher(Concurrency::AtMost(3));
    let handle = dispatcher.handle();
    let (peaks, mut seen) = mpsc::unbounded_channel();
    let running = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let handler = move |_: Job<u32>| {
        let (peaks, running) = (peaks.clone(), Arc::clone(&running));
        async move {
            use std::sync::atomic::Ordering::SeqCst;
            let now = running.fetch_add(1, SeqCst) + 1;
            // Every other task that may begin does so before this one goes on.
            tokio::time::advance(Duration::from_millis(10)).await;
            running.fetch_sub(1, SeqCst);
            peaks.send(now).unwrap();
            Next::Idle
        }
    };
    tokio::spawn(dispatcher.run(handler, Shutdown::default()));

    for key in 0..20 {
        handle.fresh(key);
    }
    let mut peak = 0;
    for _ in 0..20 {
        peak = peak.max(seen.recv().await.unwrap());
    }

    assert_eq!(peak, 3);
}

#[tokio::test(start_paused = true)]
async fn a_clock_set_by_a_day_loses_no_deadline_and_starts_no_storm() {
    const DAY: i64 = 86_400;
    for set_by in [-DAY, DAY] {
        let time = Arc::new(PausedTime::new());
        let dispatcher = dispatcher_on(Arc::clone(&time), Concurrency::Automatic);
        let handle = dispatcher.handle();
        let clock = Arc::clone(&time);
        let (mut runs, shutdown) = start(dispatcher, move |_, _| {
            Next::At(clock.now() + SignedDuration::from_mins(10))
        });
        for key in 0..20 {
            handle.fresh(key);
        }
        for _ in 0..20 {
            runs.recv().await.unwrap();
        }

        pass(Duration::from_mins(5)).await;
        time.set_by.store(set_by, Ordering::Relaxed);
        pass(Duration::from_mins(16)).await;
        shutdown.request();

        let mut counts = BTreeMap::<u32, usize>::new();
        while let Ok((key, _)) = runs.try_recv() {
            *counts.entry(key).or_default() += 1;
        }
        assert_eq!(counts.len(), 20, "{counts:?}");
        assert!(
            counts.values().all(|runs| (1..=3).contains(runs)),
            "{counts:?}"
        );
    }
}

/// A dispatcher whose objects are of the class of their hundreds, and what its runs wait for: those
/// below a thousand never end.
fn classes(concurrency: Concurrency) -> (Handle<u32>, mpsc::UnboundedReceiver<u32>) {
    let metrics = Arc::new(Metrics::default()).controller("test");
    let settings = DispatchSettings {
        concurrency,
        ..DispatchSettings::new(metrics, Arc::new(PausedTime::new()))
    };
    // Thousands are namespaces and hundreds are stores, but for the first thousand, where every
    // hundred is a namespace of its own.
    let claim_of: ClaimOf<u32> = Arc::new(|key| {
        let hundred = u64::from(key / 100);
        let class = Class {
            namespace: if hundred < 10 {
                hundred
            } else {
                hundred / 10 + 10
            },
            store: Some(hundred),
        };
        Some(Claim {
            class,
            target: None,
        })
    });
    let dispatcher = Dispatcher::new(settings).by_claim(claim_of);
    let (handle, (begun, seen)) = (dispatcher.handle(), mpsc::unbounded_channel());
    let handler = move |Job { key, .. }: Job<u32>| {
        begun.send(key).unwrap();
        async move {
            if !(1000..5000).contains(&key) {
                std::future::pending::<()>().await;
            }
            Next::Idle
        }
    };
    tokio::spawn(dispatcher.run(handler, Shutdown::default()));
    (handle, seen)
}

async fn begun(seen: &mut mpsc::UnboundedReceiver<u32>) -> Vec<u32> {
    pass(Duration::from_secs(1)).await;
    std::iter::from_fn(|| seen.try_recv().ok()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_class_that_hangs_leaves_slots_to_the_others() {
    let (handle, mut seen) = classes(Concurrency::Automatic);
    for key in 0..100 {
        handle.fresh(key);
    }
    assert_eq!(begun(&mut seen).await.len(), 24);
    for key in 100..200 {
        handle.fresh(key);
    }
    assert_eq!(begun(&mut seen).await.len(), 15);

    for key in 1000..1100 {
        handle.fresh(key);
    }

    assert_eq!(begun(&mut seen).await.len(), 100);
}

#[tokio::test(start_paused = true)]
async fn parked_objects_run_in_order_when_slots_are_free_again() {
    let (handle, mut seen) = classes(Concurrency::Automatic);
    for key in 0..50 {
        handle.fresh(key);
    }
    let first = begun(&mut seen).await;

    // The runs under way are cut off at their deadline.
    pass(Duration::from_secs(121)).await;

    let second = begun(&mut seen).await;
    assert_eq!(first, (0..24).collect::<Vec<_>>());
    assert_eq!(second[..24], (24..48).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_namespace_with_many_slow_stores_leaves_half_of_the_slots_to_the_others() {
    let (handle, mut seen) = classes(Concurrency::Automatic);
    // A hundred jobs in each of ten stores of one namespace, none of which ever ends.
    for key in 5_000..6_000 {
        handle.fresh(key);
    }
    assert_eq!(begun(&mut seen).await.len(), RECONCILES_AT_ONCE / 2);

    for key in 1000..1100 {
        handle.fresh(key);
    }

    assert_eq!(
        begun(&mut seen).await.len(),
        100,
        "none of them waits for a slow one"
    );
}

#[tokio::test(start_paused = true)]
async fn a_number_that_was_asked_for_is_not_divided() {
    let (handle, mut seen) = classes(Concurrency::AtMost(10));
    for key in 0..100 {
        handle.fresh(key);
    }

    assert_eq!(begun(&mut seen).await.len(), 10);
}

#[test]
fn upstreams_default_of_one_means_automatic() {
    assert_eq!(Concurrency::from_flag(0), Concurrency::Automatic);
    assert_eq!(Concurrency::from_flag(1), Concurrency::Automatic);
    assert_eq!(Concurrency::from_flag(5), Concurrency::AtMost(5));
}
