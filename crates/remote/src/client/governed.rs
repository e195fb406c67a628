//! The shell of a governor: calls wait here for a slot, and a call that is dropped half way gives its
//! slot back. Also holds what an open breaker is probed with. Decides nothing.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use jiff::Timestamp;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::Read;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::context::Time;
use lockstep_provider_api::{Error, ErrorKind, Result};
use lockstep_scheduling::governor::{Admission, Call, Change, Ended, Governor, Ticket, Waiter};
use lockstep_scheduling::rotation::{Probe, Rotation};
use tokio::sync::oneshot;

use super::ReadRequest;
use super::trouble::Trouble;

/// Longest sleep of a waiting call: a pause may have begun or ended meanwhile.
const LOOK: Duration = Duration::from_secs(1);

/// One store's governor and those who wait for it.
pub(super) struct Governed {
    pub(super) store: StoreKey,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    machine: Governor,
    waiting: BTreeMap<Waiter, oneshot::Sender<Admission>>,
    /// What an open breaker is probed with.
    probes: Rotation<Arc<ProbeRead>>,
    /// Reads of the governor's witnesses, by key.
    witnesses: BTreeMap<u64, Arc<ProbeRead>>,
    /// The store as it was when a read of it failed last.
    record: Option<Arc<StoreRecord>>,
    /// What its last calls failed with.
    trouble: Trouble,
}

/// A read that can be made again to find out whether the store answers.
pub(super) struct ProbeRead {
    pub(super) record: Arc<StoreRecord>,
    pub(super) caller: String,
    /// Name of the object that wants it; `None` where nobody is known to.
    pub(super) object: Option<String>,
    pub(super) read: Read,
}

impl ProbeRead {
    pub(super) fn of(request: ReadRequest<'_>) -> Arc<Self> {
        Arc::new(Self {
            record: Arc::clone(request.store),
            caller: request.caller.to_owned(),
            object: request.object.map(str::to_owned),
            read: request.read.clone(),
        })
    }

    /// A number for the object that wants it.
    fn owner(&self) -> u64 {
        hash(&(&self.caller, &self.object))
    }
}

/// The call that reads something for a namespace, with credentials of the namespace `whose` or of the
/// store.
pub(super) fn call(namespace: &str, whose: Option<&str>, read: &Read) -> Call {
    Call {
        namespace: hash(namespace),
        key: hash(&(whose, read)),
    }
}

/// The call that connects for a namespace.
pub(super) fn connect_call(namespace: &str) -> Call {
    Call {
        namespace: hash(namespace),
        key: hash(&("connect", namespace)),
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Leave to make one call.
pub(super) struct Permit<'a> {
    governed: &'a Governed,
    ticket: Option<Ticket>,
}

/// A place in the queue, left when it is dropped.
struct Place<'a> {
    governed: &'a Governed,
    waiter: Waiter,
    decided: oneshot::Receiver<Admission>,
}

impl Governed {
    pub(super) fn new(store: StoreKey) -> Self {
        Self {
            store,
            state: Mutex::default(),
        }
    }

    /// Waits for a slot. A pause that takes long, a key that keeps failing and an open breaker are
    /// errors; a read that the breaker refused becomes one to probe the store with.
    pub(super) async fn admit(
        &self,
        call: Call,
        time: &dyn Time,
        probe: impl FnOnce() -> Arc<ProbeRead>,
    ) -> Result<Permit<'_>> {
        let admission = self.decided(call, time).await?;
        if let Admission::Open(_) = admission {
            self.waits(probe());
        }
        self.permit((call, admission), time.now())
    }

    /// Waits for a slot for the store's own check.
    pub(super) async fn admit_check(&self, time: &dyn Time) -> Result<Permit<'_>> {
        let call = connect_call("");
        let admission = self.decided(call, time).await?;
        self.permit((call, admission), time.now())
    }

    async fn decided(&self, call: Call, time: &dyn Time) -> Result<Admission> {
        let mut place = self.join(call);
        loop {
            self.state().settle(time.now());
            match select(&mut place.decided, time.sleep(LOOK)).await {
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
            Admission::Go(ticket) => Ok(Permit {
                governed: self,
                ticket: Some(ticket),
            }),
            Admission::Throttled(until) => Err(throttled(&self.store, delay(until, now))),
            Admission::Open(_) => Err(unreachable(&self.store, self.state().trouble.way())),
            Admission::Failing(_) => {
                Err(failing(&self.store, self.state().trouble.of_key(call.key)))
            }
        }
    }

    fn join(&self, call: Call) -> Place<'_> {
        let (sender, decided) = oneshot::channel();
        let mut state = self.state();
        let waiter = state.machine.wait(call);
        state.waiting.insert(waiter, sender);
        Place {
            governed: self,
            waiter,
            decided,
        }
    }

    /// Notes a read that waits for the store to come back.
    pub(super) fn waits(&self, read: Arc<ProbeRead>) {
        let mut state = self.state();
        if state.machine.is_open() {
            state.record = Some(Arc::clone(&read.record));
            state.probes.offer(read.owner(), read);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state().machine.is_open()
    }

    /// Whether the witnesses are to be read again.
    pub(super) fn is_suspected(&self) -> bool {
        self.state().machine.is_suspected()
    }

    /// Whether a key that keeps failing is not to be asked for now.
    pub(super) fn refused(&self, call: Call, now: Timestamp) -> Result<()> {
        let mut state = self.state();
        match state.machine.backed_off(call.key, now) {
            Some(_) => Err(failing(&self.store, state.trouble.of_key(call.key))),
            None => Ok(()),
        }
    }

    /// What is wrong with the store as a whole: it cannot be reached, or its credentials are refused.
    pub(super) fn trouble(&self) -> Option<Error> {
        let state = self.state();
        if state.machine.is_open() {
            let text = state.trouble.way().unwrap_or("it does not answer");
            return Some(Error::unreachable(text));
        }
        let refused = state.trouble.refused();
        refused.map(|text| Error::new(ErrorKind::Unauthenticated, text))
    }

    /// Notes why the store's own check did not reach it.
    pub(super) fn note_check(&self, failure: &Error) {
        self.state().trouble.note_check(failure);
    }

    /// Whether the end of a call may change what is known of the store's credentials.
    pub(super) fn watches_credentials(&self, failure: Option<&Error>) -> bool {
        let refused = failure.is_some_and(|error| *error.kind() == ErrorKind::Unauthenticated);
        refused || self.state().trouble.refused().is_some()
    }

    /// Notes whether the backend took the store's credentials. Returns whether that is news.
    pub(super) fn note_credentials(&self, failure: Option<&Error>) -> bool {
        self.state().trouble.note_credentials(failure)
    }

    pub(super) fn next_probe(&self) -> Option<Timestamp> {
        self.state().machine.next_probe()
    }

    /// What to probe the store with, and the store where that is its own check. Reads that nobody
    /// wants any more are dropped.
    pub(super) fn probe(
        &self,
        mut wanted: impl FnMut(&ProbeRead) -> bool,
    ) -> Option<(Arc<StoreRecord>, Probe<Arc<ProbeRead>>)> {
        let mut state = self.state();
        state.probes.drop_if(|read| !wanted(read));
        let mut probe = state.probes.next_probe();
        if matches!(probe, Probe::Check) && !state.machine.check_proves() {
            // Without any read the check is all there is.
            probe = state.probes.next_probe();
        }
        let record = match &probe {
            Probe::Read(read) => Arc::clone(&read.record),
            Probe::Check => state.record.clone()?,
        };
        Some((record, probe))
    }

    /// The reads of all witnesses; those nobody wants any more are forgotten.
    pub(super) fn witnesses(
        &self,
        mut wanted: impl FnMut(&ProbeRead) -> bool,
        now: Timestamp,
    ) -> (Vec<Arc<ProbeRead>>, Change) {
        let mut state = self.state();
        let (mut reads, mut change) = (Vec::new(), Change::None);
        for witness in state.machine.witnesses() {
            match state
                .witnesses
                .get(&witness.key)
                .filter(|read| wanted(read))
            {
                Some(read) => reads.push(Arc::clone(read)),
                None => change = state.machine.forget_witness(witness.key, now),
            }
        }
        (reads, change)
    }

    /// The witnesses were read; what came of it is known by now.
    pub(super) fn confirmed(&self) {
        self.state().machine.confirmed();
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
        let change = state.machine.failed_outside(call, ended, now);
        state.note(change, read);
        state.settle(now);
        change
    }

    fn give_back(
        &self,
        ticket: Ticket,
        ended: Ended,
        now: Timestamp,
        read: Option<&dyn Fn() -> Arc<ProbeRead>>,
    ) -> Change {
        let mut state = self.state();
        let change = state.machine.done(ticket, ended, now);
        if let Some(read) = read {
            let known = state.witnesses.contains_key(&ticket.call.key);
            match ended {
                Ended::Answered if !known => state.remember(ticket.call.key, read),
                Ended::Failed | Ended::Unreachable => state.note(change, read()),
                _ => {}
            }
        }
        if change == Change::Closed {
            state.probes.clear();
        }
        if ended != Ended::Cancelled {
            state.settle(now);
        } else if let Some(now) = state.machine.latest() {
            state.settle(now);
        }
        change
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Tells waiting calls what was decided about them.
    fn settle(&mut self, now: Timestamp) {
        for (waiter, admission) in self.machine.admit(now) {
            let sender = self.waiting.remove(&waiter);
            let refused = sender.and_then(|sender| sender.send(admission).err());
            if let Some(Admission::Go(ticket)) = refused {
                self.machine.done(ticket, Ended::Cancelled, now);
            }
        }
    }

    /// Keeps the read of a key that has become a witness.
    fn remember(&mut self, key: u64, read: &dyn Fn() -> Arc<ProbeRead>) {
        let keys: Vec<u64> = self.machine.witnesses().iter().map(|one| one.key).collect();
        if keys.contains(&key) {
            self.witnesses.retain(|known, _| keys.contains(known));
            self.witnesses.insert(key, read());
        }
    }

    /// Keeps what an open breaker is probed with.
    fn note(&mut self, change: Change, read: Arc<ProbeRead>) {
        self.record = Some(Arc::clone(&read.record));
        if change == Change::Opened {
            for (_, witness) in std::mem::take(&mut self.witnesses) {
                self.probes.offer(witness.owner(), witness);
            }
        }
        if self.machine.is_open() {
            self.probes.offer(read.owner(), read);
        }
    }
}

impl Permit<'_> {
    /// Ends the call; `read` says how to make it again.
    pub(super) fn done(
        mut self,
        failure: Option<&Error>,
        now: Timestamp,
        read: impl Fn() -> Arc<ProbeRead>,
    ) -> Change {
        let ticket = self.ticket.take();
        ticket.map_or(Change::None, |ticket| {
            let key = ticket.call.key;
            let failed = failure.map(|_| read());
            let mut state = self.governed.state();
            match &failed {
                Some(failed) => state.trouble.note(key, failure, &failed.read),
                None => state.trouble.answered(key),
            }
            drop(state);
            self.governed
                .give_back(ticket, ended(failure), now, Some(&read))
        })
    }
}

impl Permit<'_> {
    /// Ends the store's own check.
    pub(super) fn done_check(mut self, healthy: bool, now: Timestamp) -> Change {
        let ended = if healthy {
            Ended::Answered
        } else {
            Ended::Unreachable
        };
        let ticket = self.ticket.take();
        ticket.map_or(Change::None, |ticket| {
            self.governed.give_back(ticket, ended, now, None)
        })
    }
}

/// What the end of a call means to the governor.
pub(super) fn ended(failure: Option<&Error>) -> Ended {
    match failure.map(|error| (error.kind(), error)) {
        Some((ErrorKind::Throttled, error)) => Ended::Throttled(error.retry_after()),
        Some((ErrorKind::Unreachable, error)) if error.is_unconnected() => Ended::Unreachable,
        Some((ErrorKind::Unreachable, _)) => Ended::Failed,
        _ => Ended::Answered,
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            // The governor does not look at the time of a cancelled call.
            let (ended, now) = (Ended::Cancelled, Timestamp::MIN);
            self.governed.give_back(ticket, ended, now, None);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.governed.state();
        if state.waiting.remove(&self.waiter).is_some() {
            state.machine.leave(self.waiter);
        }
        drop(state);
        // Admitted, but nobody took it any more.
        if let Ok(Admission::Go(ticket)) = self.decided.try_recv() {
            let (ended, now) = (Ended::Cancelled, Timestamp::MIN);
            self.governed.give_back(ticket, ended, now, None);
        }
    }
}

fn delay(until: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(until.duration_since(now)).unwrap_or_default()
}

fn throttled(store: &StoreKey, delay: Duration) -> Error {
    let text = format!("{store} is throttled and asked to wait");
    Error::new(ErrorKind::Throttled, text)
        .with_retry_after(delay)
        .unasked()
}

fn unreachable(store: &StoreKey, why: Option<&str>) -> Error {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Error::unreachable(format!("{store} cannot be reached and is probed{why}")).unasked()
}

fn failing(store: &StoreKey, why: Option<&str>) -> Error {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Error::unreachable(format!(
        "{store} failed several times for this key, which is backed off{why}"
    ))
    .unasked()
}
