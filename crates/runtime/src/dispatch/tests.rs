//! The dispatcher on tokio's paused clock.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::*;
use crate::metrics::Metrics;

/// A wall clock that follows tokio's paused one.
struct PausedTime(Instant);

impl Time for PausedTime {
    fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.0.elapsed()).unwrap();
        Timestamp::UNIX_EPOCH + elapsed
    }

    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(delay).boxed()
    }
}

fn dispatcher(concurrency: Concurrency) -> Dispatcher<u32> {
    let metrics = Arc::new(Metrics::default()).controller("test");
    let time = Arc::new(PausedTime(Instant::now()));
    Dispatcher::new(Settings {
        concurrency,
        ..Settings::new(metrics, time)
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
                let mut counts = lock(&counts);
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
    tokio::time::sleep(Duration::from_mins(3)).await;

    assert!(metrics.ended(RunResult::Error) >= 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_runs_end_within_the_grace_time_and_starts_no_more() {
    let dispatcher = dispatcher(Concurrency::AtMost(1));
    let handle = dispatcher.handle();
    let (ended, mut seen) = mpsc::unbounded_channel();
    let shutdown = Shutdown::default();
    let handler = move |Job { key, .. }: Job<u32>| {
        let ended = ended.clone();
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ended.send(key).unwrap();
            Next::Idle
        }
    };
    let task = tokio::spawn(dispatcher.run(handler, shutdown.clone()));
    handle.fresh(1);
    handle.fresh(2);
    tokio::time::sleep(Duration::from_millis(100)).await;

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
            tokio::time::sleep(Duration::from_millis(10)).await;
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

#[test]
fn upstreams_default_of_one_means_automatic() {
    assert_eq!(Concurrency::from_flag(0), Concurrency::Automatic);
    assert_eq!(Concurrency::from_flag(1), Concurrency::Automatic);
    assert_eq!(Concurrency::from_flag(5), Concurrency::AtMost(5));
}
