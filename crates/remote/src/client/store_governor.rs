//! One store's governor behind a lock: calls wait here for a slot, and the reads are kept that an open
//! breaker is probed with. The decisions are [`Governor`]'s.

mod errors;
mod permit;
mod report;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use jiff::Timestamp;
use lockstep_plan::StoreKey;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{Error, ErrorKind, Result};
use lockstep_scheduling::governor::{Admission, Call, Change, Ended, Governor, Ticket, Waiter};
use lockstep_scheduling::rotation::{Probe, Rotation};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use super::probe_read::{ProbeRead, connect_call};
use super::trouble::Trouble;

use permit::QueuedCall;
pub(super) use permit::{Permit, ended};

/// Longest sleep of a waiting call: a pause may have begun or ended meanwhile.
const RECHECK: Duration = Duration::from_secs(1);

/// One store's governor and the calls that wait for it.
pub(super) struct StoreGovernor {
    pub(super) store: StoreKey,
    state: Mutex<GovernorState>,
}

#[derive(Default)]
struct GovernorState {
    governor: Governor,
    waiting: BTreeMap<Waiter, oneshot::Sender<Admission>>,
    /// What an open breaker is probed with.
    probes: Rotation<Arc<ProbeRead>>,
    /// Reads of the keys that answered lately, by key.
    known_good: BTreeMap<u64, Arc<ProbeRead>>,
    /// The store as it was when a read of it failed last.
    record: Option<Arc<StoreRecord>>,
    /// What its last calls failed with.
    trouble: Trouble,
}

impl StoreGovernor {
    pub(super) fn new(store: StoreKey) -> Self {
        Self {
            store,
            state: Mutex::default(),
        }
    }

    /// Waits for a slot. A long pause, a key that keeps failing and an open breaker are errors; a read
    /// that the breaker refused is kept to probe the store with.
    pub(super) async fn admit(
        &self,
        call: Call,
        time: &dyn Time,
        probe: impl FnOnce() -> Arc<ProbeRead>,
    ) -> Result<Permit<'_>> {
        let admission = self.wait(call, time).await?;
        if let Admission::Open(_) = admission {
            self.state().offer(probe());
        }
        self.permit((call, admission), time.now())
    }

    /// Waits for a slot for the store's own check.
    pub(super) async fn admit_check(&self, time: &dyn Time) -> Result<Permit<'_>> {
        let call = connect_call("");
        let admission = self.wait(call, time).await?;
        self.permit((call, admission), time.now())
    }

    async fn wait(&self, call: Call, time: &dyn Time) -> Result<Admission> {
        let mut queued = self.enqueue(call);
        loop {
            self.state().settle(time.now());
            match select(&mut queued.decided, time.sleep(RECHECK)).await {
                Either::Left((Ok(admission), _)) => return Ok(admission),
                Either::Left((Err(_), _)) => {
                    return Err(Error::new(ErrorKind::Internal, "the queue was dropped"));
                }
                Either::Right(_) => {}
            }
        }
    }

    fn permit(&self, (call, admission): (Call, Admission), now: Timestamp) -> Result<Permit<'_>> {
        match admission {
            Admission::Go(ticket) => Ok(Permit::new(self, ticket)),
            Admission::Throttled(until) => Err(errors::throttled(&self.store, until, now)),
            Admission::Open(_) => {
                let state = self.state();
                Err(errors::unreachable(&self.store, state.trouble.way()))
            }
            Admission::Failing(_) => {
                let state = self.state();
                Err(errors::failing(&self.store, state.trouble.of_key(call.key)))
            }
        }
    }

    fn enqueue(&self, call: Call) -> QueuedCall<'_> {
        let (sender, decided) = oneshot::channel();
        let mut state = self.state();
        let waiter = state.governor.wait(call);
        state.waiting.insert(waiter, sender);
        QueuedCall {
            governor: self,
            waiter,
            decided,
        }
    }

    /// Whether the breaker is open or half-open.
    pub(super) fn is_open(&self) -> bool {
        self.state().governor.is_open()
    }

    /// Whether keys that answered lately have to be read again to confirm an outage.
    pub(super) fn is_confirming_outage(&self) -> bool {
        self.state().governor.is_confirming_outage()
    }

    /// Refuses a call whose key is backed off.
    pub(super) fn check_backoff(&self, call: Call, now: Timestamp) -> Result<()> {
        let mut state = self.state();
        match state.governor.backoff_until(call.key, now) {
            Some(_) => Err(errors::failing(&self.store, state.trouble.of_key(call.key))),
            None => Ok(()),
        }
    }

    /// When the next probe read is due.
    pub(super) fn next_probe(&self) -> Option<Timestamp> {
        self.state().governor.next_probe()
    }

    /// Returns the next probe, and the store for the case that it is the store's own check. Drops reads
    /// that no object wants any more.
    pub(super) fn probe(
        &self,
        mut is_wanted: impl FnMut(&ProbeRead) -> bool,
    ) -> Option<(Arc<StoreRecord>, Probe<Arc<ProbeRead>>)> {
        let mut state = self.state();
        state.probes.drop_if(|read| !is_wanted(read));
        let mut probe = state.probes.next_probe();
        if matches!(probe, Probe::Check) && !state.governor.check_proves() {
            // Without any read the check is all there is.
            probe = state.probes.next_probe();
        }
        let record = match &probe {
            Probe::Read(read) => Arc::clone(&read.record),
            Probe::Check => state.record.clone()?,
        };
        Some((record, probe))
    }

    /// Returns the reads of all keys that answered lately; forgets those that no object wants any more.
    pub(super) fn known_good(
        &self,
        mut is_wanted: impl FnMut(&ProbeRead) -> bool,
        now: Timestamp,
    ) -> (Vec<Arc<ProbeRead>>, Change) {
        let mut state = self.state();
        let (mut reads, mut change) = (Vec::new(), Change::None);
        for Call { key, .. } in state.governor.known_good() {
            match state.known_good.get(&key).filter(|read| is_wanted(read)) {
                Some(read) => reads.push(Arc::clone(read)),
                None => change = state.governor.forget_known_good(key, now),
            }
        }
        (reads, change)
    }

    /// Notes that all keys that answered lately were read again.
    pub(super) fn end_confirmation(&self) {
        self.state().governor.end_confirmation();
    }

    /// Notes a failed call that took no slot.
    pub(super) fn failed_outside(
        &self,
        (call, ended, failure): (Call, Ended, &Error),
        now: Timestamp,
        read: Arc<ProbeRead>,
    ) -> Change {
        let mut state = self.state();
        state.trouble.note(call.key, Some(failure), &read.read);
        let change = state.governor.failed_outside(call, ended, now);
        state.note_failure(change, read);
        state.settle(now);
        change
    }

    /// Ends a call; `read` makes it again.
    fn finish(
        &self,
        ticket: Ticket,
        ended: Ended,
        now: Timestamp,
        read: Option<&dyn Fn() -> Arc<ProbeRead>>,
    ) -> Change {
        let mut state = self.state();
        let change = state.governor.done(ticket, ended, now);
        if let Some(read) = read {
            let known = state.known_good.contains_key(&ticket.call.key);
            match ended {
                Ended::Answered if !known => state.note_answer(ticket.call.key, read),
                Ended::Failed | Ended::Unreachable => state.note_failure(change, read()),
                _ => {}
            }
        }
        if change == Change::Closed {
            state.probes.clear();
        }
        if ended != Ended::Cancelled {
            state.settle(now);
        } else if let Some(now) = state.governor.latest() {
            state.settle(now);
        }
        change
    }

    fn state(&self) -> MutexGuard<'_, GovernorState> {
        self.state.lock()
    }
}

impl GovernorState {
    /// Sends waiting calls what was decided about them.
    fn settle(&mut self, now: Timestamp) {
        for (waiter, admission) in self.governor.admit(now) {
            let sender = self.waiting.remove(&waiter);
            let refused = sender.and_then(|sender| sender.send(admission).err());
            if let Some(Admission::Go(ticket)) = refused {
                self.governor.done(ticket, Ended::Cancelled, now);
            }
        }
    }

    /// Keeps a read that waits for the store to come back.
    fn offer(&mut self, read: Arc<ProbeRead>) {
        if self.governor.is_open() {
            self.record = Some(Arc::clone(&read.record));
            self.probes.offer(read.owner(), read);
        }
    }

    /// Keeps the read of a key that answered, if the breaker asks for it to confirm outages.
    fn note_answer(&mut self, key: u64, read: &dyn Fn() -> Arc<ProbeRead>) {
        let calls = self.governor.known_good();
        let keys: Vec<u64> = calls.iter().map(|call| call.key).collect();
        if keys.contains(&key) {
            self.known_good.retain(|known, _| keys.contains(known));
            self.known_good.insert(key, read());
        }
    }

    /// Keeps what an open breaker is probed with.
    fn note_failure(&mut self, change: Change, read: Arc<ProbeRead>) {
        self.record = Some(Arc::clone(&read.record));
        if change == Change::Opened {
            for (_, known) in std::mem::take(&mut self.known_good) {
                self.probes.offer(known.owner(), known);
            }
        }
        if self.governor.is_open() {
            self.probes.offer(read.owner(), read);
        }
    }
}
