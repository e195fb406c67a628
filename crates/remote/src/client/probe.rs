//! Probes stores whose circuit breaker is open, one probe read at a time a store: the reads that wait
//! for it and its own check take turns. And while a store is suspected to be down, reads keys again
//! that answered lately. A read whose object is gone is dropped.

use std::collections::BTreeSet;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, FutureExt, join_all, select};
use futures_util::stream::{FuturesUnordered, StreamExt};
use jiff::{SignedDuration, Timestamp};
use lockstep_plan::StoreKey;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::Health;
use lockstep_provider_api::store::Check;
use lockstep_scheduling::rotation::Probe;

use super::governed::{Governed, ProbeRead};
use super::{ReadRequest, RemoteClient};

/// Longest sleep between two looks, so that a clock that was set is noticed, and the end of a probe
/// that somebody else made.
const LOOK: Duration = Duration::from_secs(1);
/// Shortest sleep between two looks at an open breaker, whatever came of the last probe.
const SOONEST: Duration = Duration::from_millis(50);
/// No probe is due later than this; a later time is from before the clock was set back.
const FAR: SignedDuration = SignedDuration::from_mins(1);

impl RemoteClient {
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

    /// Time to the next look at open breakers and suspected stores; `None` while there are none. Somebody's read may be the probe
    /// that is under way: how it ends is only seen by looking.
    fn next_look(&self, busy: &BTreeSet<StoreKey>) -> Option<Duration> {
        let now = self.time.now();
        let governors = self.governors();
        let open = governors
            .iter()
            .filter(|(store, one)| (one.is_open() || one.is_suspected()) && !busy.contains(store));
        let waits = open.map(|(_, one)| {
            if one.is_suspected() {
                return Duration::ZERO;
            }
            let due = one.next_probe().map(|next| next.duration_since(now));
            let due = due.map(|wait| Duration::try_from(wait).unwrap_or_default());
            due.unwrap_or(LOOK).clamp(SOONEST, LOOK)
        });
        waits.min()
    }

    fn due_probes(&self, now: Timestamp, busy: &BTreeSet<StoreKey>) -> Vec<StoreKey> {
        let is_due = |at: Timestamp| at <= now || at.duration_since(now) > FAR;
        let governors = self.governors();
        let due = governors.iter().filter(|(store, one)| {
            let due = one.is_suspected() || one.next_probe().is_some_and(is_due);
            due && !busy.contains(store)
        });
        due.map(|(store, _)| store.clone()).collect()
    }

    /// Makes one probe, or reads the witnesses. What comes of it, the governor knows.
    async fn probe(self: &Arc<Self>, store: StoreKey, now: Timestamp) -> StoreKey {
        let Some(governed) = self.governors().get(&store).cloned() else {
            return store;
        };
        let wanted = |read: &ProbeRead| self.is_wanted(read);
        if governed.is_suspected() {
            let (reads, change) = governed.witnesses(wanted, now);
            self.tell(&governed, change);
            join_all(reads.iter().map(|read| self.probe_read(read, now))).await;
            governed.confirmed();
            return store;
        }
        match governed.probe(wanted) {
            Some((_, Probe::Read(read))) => self.probe_read(&read, now).await,
            Some((record, Probe::Check)) => self.probe_check(&governed, record).await,
            None => {}
        }
        store
    }

    async fn probe_read(self: &Arc<Self>, read: &ProbeRead, now: Timestamp) {
        let request = ReadRequest {
            store: &read.record,
            caller: &read.caller,
            object: read.object.as_deref(),
            read: &read.read,
            asked: now,
        };
        drop(self.read(request).await);
    }

    /// Asks the store's own check, for which many providers make a call that needs no key.
    async fn probe_check(&self, governed: &Governed, record: Arc<StoreRecord>) {
        let Ok(permit) = governed.admit_check(&*self.time).await else {
            return;
        };
        // A check that says nothing is not enough to close the breaker.
        let healthy = match self.connections.reopen(&record).await {
            Ok(connected) => match connected.store.check().await {
                Check::Healthy(health) => matches!(health, Health::Ready),
                Check::Failed(error) | Check::Undetermined(error) => {
                    governed.note_check(&error);
                    false
                }
            },
            Err(error) => {
                governed.note_check(&error);
                false
            }
        };
        let change = permit.done_check(healthy, self.time.now());
        self.tell(governed, change);
    }
}
