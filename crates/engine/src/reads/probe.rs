//! Finds out whether stores that could not be reached are back: the read that failed last is made
//! again, one at a time a store, whenever its governor lets it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use lockstep_plan::StoreKey;

use super::{Reads, Request};

/// Longest sleep between two looks, so that a clock that was set is noticed.
const LOOK: Duration = Duration::from_secs(1);

impl Reads {
    /// Probes for ever; without it, an open breaker closes only by a read that someone makes.
    pub async fn keep_probing(self: Arc<Self>) {
        loop {
            let Some(next) = self.next_probe() else {
                self.opened.notified().await;
                continue;
            };
            let wait = next.duration_since(self.time.now());
            let wait = Duration::try_from(wait).unwrap_or_default();
            self.time.sleep(wait.min(LOOK)).await;
            let now = self.time.now();
            let due: Vec<StoreKey> = self.due_probes(now);
            join_all(due.iter().map(|store| self.probe(store, now))).await;
        }
    }

    fn next_probe(&self) -> Option<Timestamp> {
        let governors = self.governors();
        governors.values().filter_map(|one| one.next_probe()).min()
    }

    fn due_probes(&self, now: Timestamp) -> Vec<StoreKey> {
        let governors = self.governors();
        let due = governors.iter().filter(|(_, one)| {
            one.next_probe()
                .is_some_and(|at| at <= now || at.duration_since(now).as_secs() > 60)
        });
        due.map(|(store, _)| store.clone()).collect()
    }

    async fn probe(self: &Arc<Self>, store: &StoreKey, now: Timestamp) {
        let suspect = self.governed(store).last_suspect();
        let Some(suspect) = suspect else {
            // Nothing to try: the next read finds out.
            self.governors().remove(store);
            return;
        };
        let request = Request {
            store: &suspect.record,
            caller: &suspect.caller,
            read: &suspect.read,
            asked: now,
        };
        // What came of it, the governor knows.
        drop(self.read(request).await);
    }
}
