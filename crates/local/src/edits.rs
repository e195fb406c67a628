//! Notices edits of the folder. A burst of events, as editors and checkouts make it, counts as one
//! edit. Only files that could be manifests matter, so writing the output wakes nobody.

use std::path::Path;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::documents::is_manifest;

/// Quiet time after which a burst is over.
const SETTLE: Duration = Duration::from_millis(150);
/// Longest time a burst is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A stream of edits.
pub(crate) struct Edits {
    events: mpsc::Receiver<()>,
    /// An edit that came and was not handed out yet.
    waiting: bool,
    /// Events end when it is dropped.
    _watcher: RecommendedWatcher,
}

impl Edits {
    /// Watches a folder and all below it.
    pub(crate) fn of(folder: &Path) -> notify::Result<Self> {
        // One place is enough: an edit that waits there stands for all that follow.
        let (sender, events) = mpsc::channel(1);
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                let matters = event.as_ref().map_or(true, |event| {
                    event.need_rescan() || (is_change(event.kind) && concerns_manifests(event))
                });
                if matters {
                    let _ = sender.try_send(());
                }
            })?;
        watcher.watch(folder, RecursiveMode::Recursive)?;
        Ok(Self {
            events,
            waiting: false,
            _watcher: watcher,
        })
    }

    /// Makes the next wait complete at once: the folder may have been edited before the watch began.
    pub(crate) fn expect_one(mut self) -> Self {
        self.waiting = true;
        self
    }

    /// Completes once the folder was edited and is quiet again. No edit is lost by dropping the
    /// wait.
    pub(crate) async fn next(&mut self) {
        if !self.waiting {
            if self.events.recv().await.is_none() {
                // The watcher is gone; nothing more will come.
                return std::future::pending().await;
            }
            self.waiting = true;
        }
        let settle = async {
            while tokio::time::timeout(SETTLE, self.events.recv())
                .await
                .is_ok()
            {}
        };
        // A folder that never gets quiet is read all the same.
        let _ = tokio::time::timeout(PATIENCE, settle).await;
        self.waiting = false;
    }
}

/// Reading the manifests makes events too; those are not edits.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// Folders count: what is moved in or out with them is not told one by one.
fn concerns_manifests(event: &notify::Event) -> bool {
    let is_hidden = |path: &Path| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let concerns =
        |path: &Path| !is_hidden(path) && (is_manifest(path) || path.extension().is_none());
    event.paths.iter().any(|path| concerns(path))
}
