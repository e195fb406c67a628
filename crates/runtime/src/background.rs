//! Background tasks that must not end: watches, probes, writers of events, servers. One that panics is
//! started again after a backoff; readiness and a metric show it. What a task does is its own
//! affair, and one that returns is done.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use crate::health::Readiness;
use crate::metrics::Metrics;
use crate::supervise::{self, panic_text};

/// Pause before the first restart; it doubles with each panic in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause before a restart.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A task that ran for so long after a restart counts as well again.
const RECOVERED: Duration = Duration::from_secs(30);

/// Keeps background tasks running. Clones share metrics and readiness.
#[derive(Clone)]
pub struct Background {
    metrics: Arc<Metrics>,
    readiness: Readiness,
}

impl Background {
    /// Tells of restarts in these metrics and this readiness.
    pub fn new(metrics: Arc<Metrics>, readiness: Readiness) -> Self {
        Self { metrics, readiness }
    }

    /// Runs what `start` makes until it returns, and starts it again when it panics.
    pub fn keep<F, T>(&self, name: &'static str, start: F)
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let this = self.clone();
        this.metrics.task_started(name);
        supervise::spawn(name, async move { this.run(name, start).await });
    }

    async fn run<F, T>(self, name: &'static str, start: F)
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let mut panics = 0u32;
        loop {
            // `start` may panic too.
            let task = AssertUnwindSafe(async { start().await }).catch_unwind();
            tokio::pin!(task);
            let ended = if panics == 0 {
                task.await
            } else {
                let soon = tokio::time::timeout(RECOVERED, &mut task).await;
                if let Ok(ended) = soon {
                    ended
                } else {
                    panics = 0;
                    self.readiness.register(component(name)).ready();
                    task.await
                }
            };
            let Err(panic) = ended else {
                if panics > 0 {
                    self.readiness.register(component(name)).ready();
                }
                return;
            };
            let text = panic_text(panic.as_ref());
            let pause = pause(panics);
            panics = panics.saturating_add(1);
            self.metrics.task_restarted(name);
            tracing::error!(task = name, panic = %text, "background task panicked and is restarted");
            self.readiness
                .register(component(name))
                .waiting(format!("panicked {panics} times in a row: {text}"));
            tokio::time::sleep(pause).await;
        }
    }
}

fn component(name: &str) -> String {
    format!("task-{}", name.replace(' ', "-"))
}

fn pause(panics: u32) -> Duration {
    let factor = 1u32.checked_shl(panics).unwrap_or(u32::MAX);
    FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Notify;

    use super::*;

    struct Scene {
        background: Background,
        metrics: Arc<Metrics>,
        readiness: Readiness,
    }

    fn scene() -> Scene {
        let (metrics, readiness) = (Arc::new(Metrics::default()), Readiness::default());
        Scene {
            background: Background::new(Arc::clone(&metrics), readiness.clone()),
            metrics,
            readiness,
        }
    }

    /// A task that panics so many times, then tells and stays.
    fn panicking(
        times: usize,
        well: &Arc<Notify>,
    ) -> impl Fn() -> futures_util::future::BoxFuture<'static, ()> + use<> {
        let (begun, well) = (Arc::new(AtomicUsize::new(0)), Arc::clone(well));
        move || {
            let (begun, well) = (Arc::clone(&begun), Arc::clone(&well));
            async move {
                assert!(begun.fetch_add(1, Ordering::Relaxed) >= times, "on purpose");
                well.notify_one();
                std::future::pending::<()>().await;
            }
            .boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_started_again_and_told_of() {
        let (scene, well) = (scene(), Arc::new(Notify::new()));

        scene.background.keep("watch", panicking(3, &well));
        well.notified().await;

        assert!(!scene.readiness.is_ready());
        let (name, reason) = scene.readiness.waiting().remove(0);
        assert_eq!(name, "task-watch");
        assert!(
            reason.starts_with("panicked 3 times in a row: on purpose"),
            "{reason}"
        );
        let text: String = scene.metrics.scrape().collect();
        assert!(
            text.contains(r#"lockstep_background_task_restarts_total{task="watch"} 3"#),
            "{text}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_stays_well_is_ready_again() {
        let (scene, well) = (scene(), Arc::new(Notify::new()));

        scene.background.keep("watch", panicking(1, &well));
        well.notified().await;
        tokio::time::advance(2 * RECOVERED).await;
        tokio::task::yield_now().await;

        assert!(scene.readiness.is_ready());
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_never_panicked_is_no_part_of_readiness() {
        let (scene, well) = (scene(), Arc::new(Notify::new()));

        scene.background.keep("watch", panicking(0, &well));
        well.notified().await;

        assert_eq!(scene.readiness.report(), "");
    }

    #[test]
    fn pauses_grow_to_a_limit() {
        assert_eq!(pause(0), FIRST_PAUSE);
        assert_eq!(pause(2), 4 * FIRST_PAUSE);
        assert_eq!(pause(31), LONGEST_PAUSE);
        assert_eq!(pause(u32::MAX), LONGEST_PAUSE);
    }
}
