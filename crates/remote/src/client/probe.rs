//! Probes stores whose circuit breaker is open, one probe read at a time for each store: the reads that
//! wait for it and its own check alternate. To confirm an outage, reads the keys again that answered
//! lately. A read whose object is gone is dropped.

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

use super::probe_read::ProbeRead;
use super::store_governor::StoreGovernor;
use super::{ReadRequest, RemoteClient};

/// Longest sleep between two looks, so that a clock that was set is noticed, and the end of a probe
/// that somebody else made.
const LOOK: Duration = Duration::from_secs(1);
/// Shortest sleep between two looks at an open breaker, whatever came of the last probe.
const SOONEST: Duration = Duration::from_millis(50);
/// No probe is due later than this; a later time is from before the clock was set back.
const FAR: SignedDuration = SignedDuration::from_mins(1);

impl RemoteClient {
    /// Probes for ever. Without it, only the read of a caller closes an open breaker. A probe that hangs
    /// delays no other store's.
    pub async fn keep_probing(self: Arc<Self>) {
        let mut probes: FuturesUnordered<BoxFuture<'_, StoreKey>> = FuturesUnordered::new();
        // A probe that never ends, so that waiting for the next one to end never returns at once.
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

    /// Waits until a probe may be due. Leaves out the stores in `busy`, whose probes are under way.
    async fn look(&self, busy: &BTreeSet<StoreKey>) {
        match self.next_look(busy) {
            Some(wait) => self.time.sleep(wait).await,
            None => self.probe_needed.notified().await,
        }
    }

    /// Time to the next look at the breakers; `None` while all are closed. The probe under way may be
    /// a caller's own read, whose end is only seen by looking.
    fn next_look(&self, busy: &BTreeSet<StoreKey>) -> Option<Duration> {
        let now = self.time.now();
        let governors = self.governors();
        let open = governors.iter().filter(|(store, one)| {
            (one.is_open() || one.is_confirming_outage()) && !busy.contains(store)
        });
        let waits = open.map(|(_, one)| {
            if one.is_confirming_outage() {
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
            let due = one.is_confirming_outage() || one.next_probe().is_some_and(is_due);
            due && !busy.contains(store)
        });
        due.map(|(store, _)| store.clone()).collect()
    }

    /// Makes one probe read, or reads the keys again that answered lately. The governor learns the outcome.
    async fn probe(self: &Arc<Self>, store: StoreKey, now: Timestamp) -> StoreKey {
        let Some(governor) = self.governors().get(&store).cloned() else {
            return store;
        };
        let wanted = |read: &ProbeRead| self.is_wanted(read);
        if governor.is_confirming_outage() {
            let (reads, change) = governor.known_good(wanted, now);
            self.breaker_changed(&governor, change);
            join_all(reads.iter().map(|read| self.probe_read(read, now))).await;
            governor.end_confirmation();
            return store;
        }
        match governor.probe(wanted) {
            Some((_, Probe::Read(read))) => self.probe_read(&read, now).await,
            Some((record, Probe::Check)) => self.probe_check(&governor, record).await,
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
    async fn probe_check(&self, governor: &StoreGovernor, record: Arc<StoreRecord>) {
        let Ok(permit) = governor.admit_check(&*self.time).await else {
            return;
        };
        // A check that says nothing is not enough to close the breaker.
        let healthy = match self.connections.reopen(&record).await {
            Ok(connected) => match connected.store.check().await {
                Check::Healthy(health) => matches!(health, Health::Ready),
                Check::Failed(error) | Check::Undetermined(error) => {
                    governor.note_check(&error);
                    false
                }
            },
            Err(error) => {
                governor.note_check(&error);
                false
            }
        };
        let change = permit.done_check(healthy, self.time.now());
        self.breaker_changed(governor, change);
    }
}
