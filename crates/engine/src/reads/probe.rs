//! Finds out whether stores that could not be reached are back: the read that failed last is made
//! again, one at a time a store, whenever its governor lets it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use lockstep_plan::StoreKey;

use super::{Reads, Request};

/// Longest sleep between two looks, so that a clock that was set is noticed, and the end of a probe
/// that somebody else made.
const LOOK: Duration = Duration::from_secs(1);

impl Reads {
    /// Probes for ever; without it, an open breaker closes only by a read that someone makes.
    pub async fn keep_probing(self: Arc<Self>) {
        loop {
            let Some(wait) = self.next_look() else {
                self.opened.notified().await;
                continue;
            };
            self.time.sleep(wait).await;
            let now = self.time.now();
            let due: Vec<StoreKey> = self.due_probes(now);
            join_all(due.iter().map(|store| self.probe(store, now))).await;
        }
    }

    /// Time to the next look at open breakers; `None` while none is. Somebody's read may be the probe
    /// that is under way: how it ends is only seen by looking.
    fn next_look(&self) -> Option<Duration> {
        let now = self.time.now();
        let governors = self.governors();
        let open = governors.values().filter(|one| one.is_open());
        let waits = open.map(|one| {
            let due = one.next_probe().map(|next| next.duration_since(now));
            let due = due.map(|wait| Duration::try_from(wait).unwrap_or_default());
            due.unwrap_or(LOOK).min(LOOK)
        });
        waits.min()
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
