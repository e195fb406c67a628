//! Computation that takes longer than a worker of the async runtime may be kept from its other
//! tasks. The work itself and how much of it runs at once are the caller's affair.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs `work` on this thread and lets another one look after the tasks of the worker meanwhile.
/// Outside a runtime of several threads it is a plain call.
pub fn off_workers<T>(work: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    if matches!(flavor, Ok(RuntimeFlavor::MultiThread)) {
        tokio::task::block_in_place(work)
    } else {
        work()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::supervise;

    #[test]
    fn other_tasks_of_the_only_worker_go_on_meanwhile() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let (told, hears) = mpsc::channel();

        let done = runtime.block_on(async move {
            let (result, done) = tokio::sync::oneshot::channel();
            supervise::spawn("computes", async move {
                supervise::spawn("other", async move { told.send(()).unwrap() });
                let message = off_workers(|| hears.recv_timeout(Duration::from_mins(1)));
                result.send(message.is_ok()).unwrap();
            });
            done.await.unwrap()
        });

        assert!(done);
    }

    #[tokio::test]
    async fn on_a_runtime_of_one_thread_it_is_a_plain_call() {
        assert_eq!(off_workers(|| 7), 7);
    }
}
