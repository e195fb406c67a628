//! Keeps one run from harming the others: a panic becomes a value, a hung run is cut off at its
//! deadline. Also the only place where tasks are spawned, so that none dies unseen.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, JoinSet};

/// How a supervised run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It returned.
    Done(T),
    /// It panicked; the text is the panic's.
    Panicked(String),
    /// It did not end before its deadline and was dropped.
    TimedOut,
}

/// Runs `future` to its end, its panic or its deadline.
pub async fn supervise<T>(deadline: Duration, future: impl Future<Output = T>) -> Outcome<T> {
    let guarded = AssertUnwindSafe(future).catch_unwind();
    match tokio::time::timeout(deadline, guarded).await {
        Ok(Ok(value)) => Outcome::Done(value),
        Ok(Err(panic)) => Outcome::Panicked(panic_text(panic.as_ref())),
        Err(_) => Outcome::TimedOut,
    }
}

/// Starts a background task. Its panic is logged under its name and ends nothing else.
pub fn spawn<F>(name: &'static str, future: F) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(async move {
        if let Err(panic) = AssertUnwindSafe(future).catch_unwind().await {
            let text = panic_text(panic.as_ref());
            tracing::error!(task = name, panic = %text, "background task panicked");
        }
    })
}

/// Runs `work` on another runtime and waits for what it gives; `None` if it panicked, which is logged
/// by the panic itself.
pub(crate) async fn run_on<T: Send + 'static>(
    runtime: &Handle,
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    runtime.spawn(work).await.ok()
}

/// A group of short tasks; dropping it aborts those still running.
#[derive(Debug, Default)]
pub struct TaskGroup(JoinSet<()>);

impl TaskGroup {
    /// Starts a task. It must catch its own panics, see [`supervise`].
    pub fn spawn(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(future);
    }

    /// Number of tasks running, counting ended ones not joined yet.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no task is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Completes when one task has ended; at once when there is none.
    pub async fn ended(&mut self) {
        self.0.join_next().await;
        while self.0.try_join_next().is_some() {}
    }

    /// Lets the tasks end for `grace`, then aborts the rest. Returns how many were aborted.
    pub async fn finish(mut self, grace: Duration) -> usize {
        let all = async {
            while !self.0.is_empty() {
                self.ended().await;
            }
        };
        match tokio::time::timeout(grace, all).await {
            Ok(()) => 0,
            Err(_) => self.0.len(),
        }
    }
}

/// The text of a panic, where it has one.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&'static str>() {
        return (*text).to_owned();
    }
    panic
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| "panic without text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn a_panic_becomes_a_value_with_its_text() {
        let number = 7;

        let outcome: Outcome<()> = supervise(LONG, async { panic!("bad {number}") }).await;

        assert_eq!(outcome, Outcome::Panicked("bad 7".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_hung_run_ends_at_its_deadline() {
        let outcome: Outcome<()> = supervise(LONG, std::future::pending()).await;

        assert_eq!(outcome, Outcome::TimedOut);
    }

    #[tokio::test]
    async fn a_panicking_background_task_ends_only_itself() {
        let task = spawn("test", async { panic!("gone") });

        assert!(task.await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_waits_for_the_quick_and_aborts_the_hung() {
        let mut tasks = TaskGroup::default();
        tasks.spawn(tokio::task::yield_now());
        tasks.spawn(std::future::pending());

        let aborted = tasks.finish(Duration::from_secs(1)).await;

        assert_eq!(aborted, 1);
    }
}
