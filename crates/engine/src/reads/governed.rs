//! The shell of a governor: callers wait here for their turn, and a call that is dropped half way
//! gives its place back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use jiff::{SignedDuration, Timestamp};
use lockstep_pace::governor::{Admission, Ended, Governor, Ticket};
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::Read;
use lockstep_provider::context::Time;
use lockstep_provider::{Error, ErrorKind, Result};
use tokio::sync::Notify;

use super::Request;
use crate::store_record::StoreRecord;

/// Longest wait for a pause to end; longer ones are left to the scheduler.
const PATIENCE: SignedDuration = SignedDuration::from_secs(2);

/// One store's governor and those who wait for it.
pub(super) struct Governed {
    pub(super) store: StoreKey,
    machine: Mutex<Governor>,
    changed: Notify,
    /// The read that failed last, to be tried again as a probe.
    suspect: Mutex<Option<Suspect>>,
}

/// A read that found the store unreachable.
#[derive(Clone)]
pub(super) struct Suspect {
    pub(super) record: Arc<StoreRecord>,
    pub(super) caller: String,
    pub(super) read: Read,
}

impl Suspect {
    pub(super) fn of(request: Request<'_>) -> Self {
        Self {
            record: Arc::clone(request.store),
            caller: request.caller.to_owned(),
            read: request.read.clone(),
        }
    }
}

/// Leave to make one call.
pub(super) struct Permit<'a> {
    governed: &'a Governed,
    ticket: Option<Ticket>,
}

impl Governed {
    pub(super) fn new(store: StoreKey) -> Self {
        Self {
            store,
            machine: Mutex::default(),
            changed: Notify::new(),
            suspect: Mutex::default(),
        }
    }

    /// Waits for a turn; a pause that takes long is an error that says how long. Whoever is through
    /// wakes the next one, so that nobody waits for a call that never ends.
    pub(super) async fn admit(&self, time: &dyn Time) -> Result<Permit<'_>> {
        loop {
            let mut turn = std::pin::pin!(self.changed.notified());
            // Registered before the look, so that no turn is missed.
            turn.as_mut().enable();
            let now = time.now();
            let (until, error): (_, fn(Duration, &StoreKey) -> Error) =
                match self.machine().admit(now) {
                    Admission::Go(ticket) => {
                        self.changed.notify_one();
                        return Ok(Permit {
                            governed: self,
                            ticket: Some(ticket),
                        });
                    }
                    Admission::Busy => (None, throttled),
                    Admission::Throttled(until) => (Some(until), throttled),
                    Admission::Open(until) => (Some(until), unreachable),
                };
            let Some(until) = until else {
                turn.await;
                continue;
            };
            let wait = until.duration_since(now);
            let delay = Duration::try_from(wait).unwrap_or_default();
            if wait > PATIENCE || self.is_open() {
                self.changed.notify_one();
                return Err(error(delay, &self.store));
            }
            match select(turn, time.sleep(delay)).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.machine().is_open()
    }

    pub(super) fn next_probe(&self) -> Option<Timestamp> {
        self.machine().next_probe()
    }

    pub(super) fn suspect(&self, suspect: Suspect) {
        *self.suspected() = Some(suspect);
    }

    pub(super) fn last_suspect(&self) -> Option<Suspect> {
        self.suspected().clone()
    }

    fn suspected(&self) -> MutexGuard<'_, Option<Suspect>> {
        self.suspect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn machine(&self) -> MutexGuard<'_, Governor> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Ends the call; returns whether the store has just come back.
    pub(super) fn done(mut self, failure: Option<&Error>, now: Timestamp) -> bool {
        let ended = match failure.map(Error::kind) {
            Some(ErrorKind::Throttled) => Ended::Throttled(failure.and_then(Error::retry_after)),
            Some(ErrorKind::Unreachable) => Ended::Unreachable,
            _ => Ended::Answered,
        };
        self.ticket
            .take()
            .is_some_and(|ticket| self.governed.give_back(ticket, ended, now))
    }
}

impl Governed {
    fn give_back(&self, ticket: Ticket, ended: Ended, now: Timestamp) -> bool {
        let back = self.machine().done(ticket, ended, now);
        if back {
            *self.suspected() = None;
        }
        // One place for the call that ended, and one should the limit have grown.
        self.changed.notify_one();
        self.changed.notify_one();
        back
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            // The time matters only for the next probe, which may then go at once.
            self.governed
                .give_back(ticket, Ended::Cancelled, Timestamp::MIN);
        }
    }
}

fn throttled(delay: Duration, store: &StoreKey) -> Error {
    let text = format!("{store} is throttled and asked to wait");
    Error::new(ErrorKind::Throttled, text).with_retry_after(delay)
}

fn unreachable(_: Duration, store: &StoreKey) -> Error {
    Error::unreachable(format!(
        "{store} cannot be reached; it is probed and tried again"
    ))
}
