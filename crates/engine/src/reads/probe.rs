//! Finds out whether stores that could not be reached are back: the read that failed last is made
//! again, one at a time a store, whenever its governor lets it.

use std::collections::BTreeSet;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, FutureExt, select};
use futures_util::stream::{FuturesUnordered, StreamExt};
use jiff::{SignedDuration, Timestamp};
use lockstep_plan::StoreKey;

use super::{Reads, Request};

/// Longest sleep between two looks, so that a clock that was set is noticed, and the end of a probe
/// that somebody else made.
const LOOK: Duration = Duration::from_secs(1);
/// No probe is due later than this; a later time is from before the clock was set back.
const FAR: SignedDuration = SignedDuration::from_mins(1);

impl Reads {
    /// Probes for ever; without it, an open breaker closes only by a read that someone makes. A probe
    /// that hangs holds up no other store's.
    pub async fn keep_probing(self: Arc<Self>) {
        let mut probes: FuturesUnordered<BoxFuture<'_, StoreKey>> = FuturesUnordered::new();
        // One that never ends: to wait for the next end is a wait then, whatever is under way.
        probes.push(pending().boxed());
        let mut busy = BTreeSet::new();
        loop {
            let ended = match select(pin!(self.look(&busy)), probes.next()).await {
                Either::Left(_) => None,
                Either::Right((ended, _)) => ended,
            };
            if let Some(store) = ended {
                busy.remove(&store);
                continue;
            }
            let now = self.time.now();
            for store in self.due_probes(now, &busy) {
                busy.insert(store.clone());
                probes.push(self.probe(store, now).boxed());
            }
        }
    }

    /// Waits until a breaker is worth a look, those of stores in `busy` left aside: their probes are under way.
    async fn look(&self, busy: &BTreeSet<StoreKey>) {
        match self.next_look(busy) {
            Some(wait) => self.time.sleep(wait).await,
            None => self.opened.notified().await,
        }
    }

    /// Time to the next look at open breakers; `None` while none is. Somebody's read may be the probe
    /// that is under way: how it ends is only seen by looking.
    fn next_look(&self, busy: &BTreeSet<StoreKey>) -> Option<Duration> {
        let now = self.time.now();
        let governors = self.governors();
        let open = governors
            .iter()
            .filter(|(store, one)| one.is_open() && !busy.contains(store));
        let waits = open.map(|(_, one)| {
            let due = one.next_probe().map(|next| next.duration_since(now));
            let due = due.map(|wait| Duration::try_from(wait).unwrap_or_default());
            due.unwrap_or(LOOK).min(LOOK)
        });
        waits.min()
    }

    fn due_probes(&self, now: Timestamp, busy: &BTreeSet<StoreKey>) -> Vec<StoreKey> {
        let is_due = |at: Timestamp| at <= now || at.duration_since(now) > FAR;
        let governors = self.governors();
        let due = governors
            .iter()
            .filter(|(store, one)| !busy.contains(store) && one.next_probe().is_some_and(is_due));
        due.map(|(store, _)| store.clone()).collect()
    }

    /// Makes the read that failed last once more. What comes of it, the governor knows.
    async fn probe(self: &Arc<Self>, store: StoreKey, now: Timestamp) -> StoreKey {
        let governed = self.governors().get(&store).cloned();
        if let Some(suspect) = governed.and_then(|governed| governed.suspect()) {
            let request = Request {
                store: &suspect.record,
                caller: &suspect.caller,
                read: &suspect.read,
                asked: now,
            };
            drop(self.read(request).await);
        }
        store
    }
}
