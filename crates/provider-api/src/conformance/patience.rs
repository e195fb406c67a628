//! Bounds how long a call may take in real time, and polls calls by hand. Only the suite needs
//! this: a provider that hangs must fail its check, not the test run.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::poll_fn;
use futures_util::task::AtomicWaker;

/// The future's output, or `None` when it takes longer than `patience` of real time.
pub(super) async fn within<F: Future>(patience: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let deadline = Instant::now() + patience;
    let waker = Arc::new(AtomicWaker::new());
    let mut alarm = None;
    poll_fn(move |context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        if Instant::now() >= deadline {
            return Poll::Ready(None);
        }
        waker.register(context.waker());
        alarm.get_or_insert_with(|| set_alarm(patience, Arc::clone(&waker)));
        Poll::Pending
    })
    .await
}

/// Wakes a task after `patience`, unless what this returns is dropped before.
fn set_alarm(patience: Duration, waker: Arc<AtomicWaker>) -> Sender<()> {
    let (sleeper, dropped) = channel();
    thread::spawn(move || {
        if dropped.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            waker.wake();
        }
    });
    sleeper
}

/// Polls a future once; `None` when it is not done.
pub(super) async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
