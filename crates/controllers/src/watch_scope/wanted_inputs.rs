//! Kinds of inputs whose watch has yet to be started. The index says once a kind that it is needed.

use lockstep_index::InputKind;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Kinds that wait for their watch.
#[derive(Default)]
pub(crate) struct WantedInputs {
    kinds: Mutex<Vec<InputKind>>,
    changed: Notify,
}

impl WantedInputs {
    /// Asks for the watch of a kind.
    pub(crate) fn want(&self, kind: InputKind) {
        let mut kinds = self.kinds.lock();
        kinds.push(kind);
        drop(kinds);
        self.changed.notify_one();
    }

    /// Waits until a kind is asked for, and returns all that are.
    pub(crate) async fn next(&self) -> Vec<InputKind> {
        self.changed.notified().await;
        let mut kinds = self.kinds.lock();
        std::mem::take(&mut kinds)
    }
}
