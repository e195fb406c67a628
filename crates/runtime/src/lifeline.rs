//! A thread of its own for what must go on whatever the workers do: the lease and the health
//! endpoints. It has a runtime of its own, so no task of the controllers ever runs on it.

use std::future::Future;
use std::io;

use tokio::runtime::Handle;

use crate::supervise;

/// The thread. It lives until the process ends.
#[derive(Clone)]
pub struct Lifeline(Handle);

impl Lifeline {
    /// Starts the thread.
    pub fn start() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        std::thread::Builder::new()
            .name("lifeline".to_owned())
            .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
        Ok(Self(handle))
    }

    /// Runs `work` on the thread and waits for what it gives; `None` if it panicked. What `work`
    /// starts stays on the thread.
    pub async fn run<T>(&self, work: impl Future<Output = T> + Send + 'static) -> Option<T>
    where
        T: Send + 'static,
    {
        supervise::run_on(&self.0, work).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_goes_on_while_every_worker_is_busy() {
        let lifeline = Lifeline::start().unwrap();
        let workers = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let (done, busy_until) = std::sync::mpsc::channel();
        let own = lifeline.clone();

        // The only worker blocks until the lifeline has run something.
        let blocked = workers.spawn(async move { busy_until.recv_timeout(Duration::from_mins(1)) });
        let ran = workers.block_on(async move {
            own.run(async move {
                // Timers fire here too, although the only worker is blocked.
                let never = std::future::pending::<()>();
                let fired = tokio::time::timeout(Duration::from_millis(1), never).await;
                assert!(fired.is_err());
                done.send(()).unwrap();
                std::thread::current().name().map(str::to_owned)
            })
            .await
        });

        assert_eq!(ran, Some(Some("lifeline".to_owned())));
        assert!(workers.block_on(blocked).unwrap().is_ok());
    }

    #[tokio::test]
    async fn a_panic_is_told_and_ends_nothing() {
        let lifeline = Lifeline::start().unwrap();

        let gone: Option<()> = lifeline.run(async { panic!("gone") }).await;

        assert_eq!(gone, None);
        assert_eq!(lifeline.run(async { 7 }).await, Some(7));
    }
}
