//! Gates keep ExternalSecrets from running before the index is whole: a store not listed yet would
//! look like a missing one. Some watches may never sync (rights that a namespaced install does not
//! have), so those are waited for only for a while.

use std::time::Duration;

use tokio::sync::watch;

/// How long optional watches are waited for once the others are there.
const PATIENCE: Duration = Duration::from_secs(5);

/// One watch's gate. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Gate(watch::Sender<bool>);

impl Default for Gate {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Gate {
    /// The first list is complete.
    pub(super) fn open(&self) {
        self.0.send_replace(true);
    }

    async fn opened(&self) {
        let mut state = self.0.subscribe();
        // The sender lives in `self`, so the wait cannot fail.
        let _ = state.wait_for(|open| *open).await;
    }
}

/// Completes when all required gates are open, and the optional ones too or patience ran out.
pub(super) async fn all(required: &[&Gate], optional: &[&Gate]) {
    for gate in required {
        gate.opened().await;
    }
    let rest = async {
        for gate in optional {
            gate.opened().await;
        }
    };
    if tokio::time::timeout(PATIENCE, rest).await.is_err() {
        tracing::warn!("continuing without a full list of cluster stores or namespaces");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn optional_watches_are_waited_for_only_for_a_while() {
        let (required, optional) = (Gate::default(), Gate::default());
        required.open();
        let before = tokio::time::Instant::now();

        all(&[&required], &[&optional]).await;

        assert_eq!(before.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_runs_before_the_required_watches_are_there() {
        let gate = Gate::default();

        let early = tokio::time::timeout(Duration::from_mins(1), all(&[&gate], &[])).await;
        gate.open();
        let late = tokio::time::timeout(Duration::from_secs(1), all(&[&gate], &[])).await;

        assert!(early.is_err());
        assert!(late.is_ok());
    }
}
