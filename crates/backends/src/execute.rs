//! Works on many secrets, a bounded number at a time, in the order they were given. An interrupt lets
//! what is under way end and starts nothing more, so that no operation is cut off in the middle.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;

use futures_util::StreamExt;
use futures_util::stream;

use crate::progress::Progress;

/// Runs `work` for every item; `None` stands for those that an interrupt kept from starting.
pub(crate) async fn each<I, T, F>(
    items: impl IntoIterator<Item = I>,
    at_once: usize,
    progress: &mut Progress,
    interrupt: impl Future,
    work: impl Fn(I) -> F,
) -> Vec<Option<T>>
where
    F: Future<Output = T>,
{
    let stopped = Cell::new(false);
    let work = &work;
    let jobs = items.into_iter().enumerate().map(|(at, item)| {
        let stopped = &stopped;
        async move {
            if stopped.get() {
                return (at, None);
            }
            (at, Some(work(item).await))
        }
    });
    let mut jobs = pin!(stream::iter(jobs).buffer_unordered(at_once.max(1)));
    let mut interrupt = pin!(interrupt);
    let mut results = Vec::new();
    loop {
        let next = if stopped.get() {
            jobs.next().await
        } else {
            tokio::select! {
                next = jobs.next() => next,
                _ = &mut interrupt => {
                    stopped.set(true);
                    progress.say("interrupted: what is under way ends first");
                    continue;
                }
            }
        };
        match next {
            Some(result) => {
                results.push(result);
                progress.step();
            }
            None => break,
        }
    }
    progress.end();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Ends when the user presses Ctrl-C.
pub(crate) async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals nobody can interrupt.
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn no_more_than_the_limit_run_at_once_and_the_order_stays() {
        let running = Cell::new(0_usize);
        let most = Cell::new(0_usize);

        let done = each(
            0..20_u64,
            3,
            &mut Progress::hidden(),
            std::future::pending::<()>(),
            |item| {
                let (running, most) = (&running, &most);
                async move {
                    running.set(running.get() + 1);
                    most.set(most.get().max(running.get()));
                    // What starts later ends earlier.
                    for _ in item..20 {
                        yield_now().await;
                    }
                    running.set(running.get() - 1);
                    item
                }
            },
        )
        .await;

        assert_eq!(most.get(), 3);
        let done: Vec<u64> = done.into_iter().flatten().collect();
        assert_eq!(done, (0..20).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn an_interrupt_ends_what_runs_and_starts_nothing_more() {
        let started = Cell::new(0);
        let interrupted = Cell::new(false);
        let interrupt = async {
            while started.get() < 2 {
                yield_now().await;
            }
            interrupted.set(true);
        };

        let done = each(0..10, 2, &mut Progress::hidden(), interrupt, |item| {
            started.set(started.get() + 1);
            let interrupted = &interrupted;
            async move {
                while !interrupted.get() {
                    yield_now().await;
                }
                item
            }
        })
        .await;

        assert_eq!(started.get(), 2);
        assert_eq!(done.iter().flatten().count(), 2);
        assert_eq!(done.len(), 10);
    }
}
