//! One read on its way, and the answers that are held for a moment. Whoever waits drives the read,
//! so a run that is cut off does not take the others down with it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use jiff::{SignedDuration, Timestamp};
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{MOST_FETCHED_BYTES, StoreKey};
use lockstep_provider_api::erased::perform;
use lockstep_provider_api::{Error, ErrorKind, Payload, Read, Result, SharedStore};

use super::governed::{ProbeRead, call};
use super::{RemoteClient, fingerprint};
use crate::connections::Connected;
use crate::identity::GroupKey;

/// How long an answer is held for those who asked before its read began.
const HOLD: SignedDuration = SignedDuration::from_secs(5);
/// How long it is held for those who were told to come for it.
const LONGEST_HOLD: SignedDuration = SignedDuration::from_secs(60);
/// Bytes of held values above which answers go only to those who wait.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Bytes up to which an answer is taken however many are in memory.
const SMALL: usize = 64 * 1024;
/// When an answer that found no room is asked for again.
const AGAIN: Duration = Duration::from_secs(5);
/// Reads held above which the oldest answers go.
const MOST_FLIGHTS: usize = 65_536;

/// The outcome of one read.
pub struct Answer {
    /// Which read.
    pub group: Arc<GroupKey>,
    /// When it began.
    pub read_at: Timestamp,
    /// Fingerprint of the outcome.
    pub fingerprint: u64,
    /// Whether the outcome says something about the secret, not only about the way to it.
    pub conclusive: bool,
    outcome: Result<Payload>,
    /// How many were told to come for it and did not yet.
    takers: AtomicUsize,
    _bytes: Held,
}

/// What one of those who share a read gets out of it.
pub struct Reply {
    /// The shared read.
    pub answer: Arc<Answer>,
    /// The part that was asked for; values are shared, not copied.
    pub outcome: Result<Payload>,
}

impl Reply {
    /// The part of an answer that `asked` wants; `None` wants all of it.
    pub(super) fn new(answer: Arc<Answer>, asked: Option<&Read>, store: &SharedStore) -> Self {
        let outcome = match (&answer.outcome, asked) {
            (outcome, Some(read)) => store.extract_from(read, outcome),
            (Ok(payload), None) => Ok(payload.clone()),
            (Err(error), None) => Err(error.duplicate()),
        };
        Self { answer, outcome }
    }
}

impl Answer {
    /// The error, where it is one.
    pub fn error(&self) -> Option<&Error> {
        self.outcome.as_ref().err()
    }

    fn taken(&self) {
        let one_less = |takers: usize| takers.checked_sub(1);
        // Nobody was waited for: nothing to count.
        let _ = self
            .takers
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    }
}

/// Bytes that count as held until they are dropped.
struct Held {
    total: Arc<AtomicUsize>,
    own: usize,
}

impl Held {
    fn new(total: &Arc<AtomicUsize>, own: usize) -> Self {
        total.fetch_add(own, Ordering::Relaxed);
        Self {
            total: Arc::clone(total),
            own,
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.total.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// When the call of a flight began; unset while it waits for its turn.
pub(super) type Began = Arc<OnceLock<Timestamp>>;

type Landing = Shared<BoxFuture<'static, Arc<Answer>>>;

struct Flight {
    began: Began,
    landing: Landing,
}

/// All flights.
#[derive(Default)]
pub(super) struct Flights {
    flights: Mutex<Fleet>,
    bytes: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Fleet {
    flights: BTreeMap<Arc<GroupKey>, Flight>,
    swept: Option<Timestamp>,
}

impl Flights {
    /// The flight of `key` that began at `asked` or later or has not begun, or a new one.
    pub(super) fn join(
        &self,
        key: &Arc<GroupKey>,
        asked: Timestamp,
        now: Timestamp,
        start: impl FnOnce(Began) -> BoxFuture<'static, Arc<Answer>>,
    ) -> BoxFuture<'static, Arc<Answer>> {
        let mut fleet = self.locked();
        fleet.sweep_now_and_then(now);
        let known = fleet.flights.get(key);
        let known = known.filter(|flight| flight.began.get().is_none_or(|began| *began >= asked));
        let landing = if let Some(flight) = known {
            flight.landing.clone()
        } else {
            let began = Began::default();
            let landing = start(Arc::clone(&began)).shared();
            let flight = Flight {
                began,
                landing: landing.clone(),
            };
            fleet.flights.insert(Arc::clone(key), flight);
            landing
        };
        drop(fleet);
        let taken = landing.map(|answer| {
            answer.taken();
            answer
        });
        taken.boxed()
    }

    pub(super) fn drop_store(&self, store: &StoreKey) {
        let mut fleet = self.locked();
        fleet.flights.retain(|key, _| key.identity.store != *store);
    }

    pub(super) fn sweep(&self, now: Timestamp) {
        self.locked().sweep(now);
    }

    pub(super) fn size(&self) -> (usize, usize) {
        let flights = self.locked().flights.len();
        (flights, self.bytes.load(Ordering::Relaxed))
    }

    /// Refuses an answer that nobody can use, or that finds too many in memory already.
    fn admit(&self, payload: Payload) -> Result<Payload> {
        let size = fingerprint::size_of(&payload);
        if size > MOST_FETCHED_BYTES {
            return Err(Error::invalid_data(format!(
                "the answer has {size} bytes of values and may have {MOST_FETCHED_BYTES}: ask for \
                 less, such as one property, or split the secret"
            )));
        }
        let held = self.bytes.load(Ordering::Relaxed);
        if size > SMALL && held + size > MOST_BYTES {
            let text = "too many large answers are in memory; the read is retried";
            return Err(Error::new(ErrorKind::Throttled, text).with_retry_after(AGAIN));
        }
        Ok(payload)
    }

    /// Takes an answer out that is too large to be held.
    fn release(&self, key: &GroupKey) {
        self.locked().flights.remove(key);
    }

    fn locked(&self) -> MutexGuard<'_, Fleet> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fleet {
    fn sweep_now_and_then(&mut self, now: Timestamp) {
        let recent = |swept: Timestamp| (0..1_000).contains(&now.duration_since(swept).as_millis());
        if self.flights.len() >= MOST_FLIGHTS || !self.swept.is_some_and(recent) {
            self.sweep(now);
        }
    }

    fn sweep(&mut self, now: Timestamp) {
        self.swept = Some(now);
        let full = self.flights.len() >= MOST_FLIGHTS;
        self.flights.retain(|_, flight| match flight.answer() {
            Some(answer) => !full && answer.is_wanted(now),
            // Nobody waits for it any more: nobody would drive it either.
            None => flight.landing.strong_count() != Some(1),
        });
    }
}

impl Flight {
    fn answer(&self) -> Option<&Arc<Answer>> {
        self.landing.peek()
    }
}

impl Answer {
    fn is_wanted(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.read_at);
        // An answer from the future is a clock that was set back.
        let within = |most: SignedDuration| (SignedDuration::ZERO..most).contains(&age);
        within(HOLD) || within(LONGEST_HOLD) && self.takers.load(Ordering::Relaxed) > 0
    }
}

/// Everything one read needs on its way.
pub(super) struct Errand {
    pub(super) reads: Arc<RemoteClient>,
    pub(super) key: Arc<GroupKey>,
    pub(super) record: Arc<StoreRecord>,
    pub(super) caller: String,
    pub(super) object: Option<String>,
    pub(super) began: Began,
}

impl Errand {
    /// Waits for a turn, reads, and tells everyone concerned.
    pub(super) async fn run(self, connected: Connected) -> Arc<Answer> {
        let governed = self.reads.governed(&self.record.key);
        let call = call(&self.caller, self.key.caller.as_deref(), &self.key.read);
        let probe = || self.probe_read();
        let admitted = governed.admit(call, &*self.reads.time, probe).await;
        let read_at = self.reads.time.now();
        let read_at = *self.began.get_or_init(|| read_at);
        let outcome = match admitted {
            Err(refused) => Err(refused),
            Ok(permit) => {
                let outcome = self.perform(connected).await;
                let failure = outcome.as_ref().err();
                let (store, call) = (&self.record.key, name(&self.key.read));
                self.reads.calls.count(store, &self.caller, call, failure);
                self.reads
                    .ended(&governed, permit, failure, || self.probe_read());
                outcome.and_then(|payload| self.reads.flights.admit(payload))
            }
        };
        let answer = self.answer(outcome, read_at);
        if answer.conclusive
            && let Some(observer) = self.reads.observer()
        {
            let takers = observer.answered(&self.key, answer.fingerprint, read_at);
            answer.takers.fetch_add(takers, Ordering::Relaxed);
        }
        if self.reads.flights.bytes.load(Ordering::Relaxed) > MOST_BYTES {
            self.reads.flights.release(&self.key);
        }
        answer
    }

    fn answer(&self, outcome: Result<Payload>, read_at: Timestamp) -> Arc<Answer> {
        let size = fingerprint::size(&outcome);
        Arc::new(Answer {
            group: Arc::clone(&self.key),
            read_at,
            fingerprint: fingerprint::of(&outcome, &self.reads.salt),
            conclusive: !outcome.as_ref().is_err_and(is_transient),
            outcome,
            takers: AtomicUsize::new(0),
            _bytes: Held::new(&self.reads.flights.bytes, size),
        })
    }

    fn probe_read(&self) -> Arc<ProbeRead> {
        Arc::new(ProbeRead {
            record: Arc::clone(&self.record),
            caller: self.caller.clone(),
            object: self.object.clone(),
            read: self.key.read.clone(),
        })
    }

    async fn perform(&self, connected: Connected) -> Result<Payload> {
        let read = &self.key.read;
        match perform(&*connected.store, read).await {
            Err(error) if *error.kind() == ErrorKind::Unauthenticated => {
                // The credential may have been rotated since the connection was made: once more.
                let connections = &self.reads.connections;
                connections.drop_one(&connected);
                let again = connections.open(&self.record, Some(&self.caller)).await?;
                if again.caller != self.key.caller {
                    // The answer would be for others than those who wait for this one.
                    return Err(error);
                }
                perform(&*again.store, read).await
            }
            Err(error) if error.consequence().drops_connection => {
                self.reads.connections.drop_one(&connected);
                Err(error)
            }
            answer => answer,
        }
    }
}

/// Whether an error tells of the way to the secret only.
pub(super) fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unreachable)
}

/// What a read is called where calls are counted.
fn name(read: &Read) -> &'static str {
    match read {
        Read::Value(_) | Read::Raw(_) => "get",
        Read::Map(_) => "get_map",
        Read::Find(_) => "find",
    }
}

#[cfg(test)]
mod tests;
