//! The wish to stop, from a signal or from inside, seen by every task through a clone of
//! [`Shutdown`]. What a task does about it is its own affair.

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::supervise;

/// A wish to stop that many tasks can wait for. Clones share it.
#[derive(Clone, Debug)]
pub struct Shutdown(Arc<watch::Sender<bool>>);

impl Default for Shutdown {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Shutdown {
    /// A shutdown that SIGTERM and SIGINT request. Must be called inside a tokio runtime.
    pub fn on_signals() -> io::Result<Self> {
        let shutdown = Self::default();
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let requested = shutdown.clone();
        supervise::spawn("signals", async move {
            let name = tokio::select! {
                _ = terminate.recv() => "SIGTERM",
                _ = interrupt.recv() => "SIGINT",
            };
            tracing::info!(signal = name, "stopping");
            requested.request();
        });
        Ok(shutdown)
    }

    /// Asks everybody to stop.
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    /// Whether stopping was asked for.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Completes once stopping was asked for.
    pub async fn requested(&self) {
        let mut requests = self.0.subscribe();
        // The sender lives in `self`, so the wait cannot fail.
        let _ = requests.wait_for(|requested| *requested).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_reaches_clones_made_before_and_after_it() {
        let shutdown = Shutdown::default();
        let before = shutdown.clone();
        assert!(!before.is_requested());

        shutdown.request();

        before.requested().await;
        shutdown.clone().requested().await;
        assert!(before.is_requested());
    }
}
