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
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    machine: Governor,
    /// The read that failed last, to be tried again as a probe. There is one while the breaker is open.
    suspect: Option<Suspect>,
}

/// What the end of a call turned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing.
    None,
    /// The store cannot be reached from now on.
    Lost,
    /// The store has come back.
    Back,
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
            state: Mutex::default(),
            changed: Notify::new(),
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
                match self.state().machine.admit(now) {
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
        self.state().machine.is_open()
    }

    pub(super) fn next_probe(&self) -> Option<Timestamp> {
        self.state().machine.next_probe()
    }

    pub(super) fn suspect(&self) -> Option<Suspect> {
        self.state().suspect.clone()
    }

    fn give_back(
        &self,
        ticket: Ticket,
        ended: Ended,
        now: Timestamp,
        suspect: Option<Suspect>,
    ) -> Turn {
        let turn = {
            let State {
                machine,
                suspect: known,
            } = &mut *self.state();
            let was_open = machine.is_open();
            let back = machine.done(ticket, ended, now);
            if back {
                *known = None;
            } else if suspect.is_some() {
                *known = suspect;
            }
            match (was_open, machine.is_open()) {
                _ if back => Turn::Back,
                (false, true) => Turn::Lost,
                _ => Turn::None,
            }
        };
        // One place for the call that ended, and one should the limit have grown.
        self.changed.notify_one();
        self.changed.notify_one();
        turn
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Ends the call. Should the store have been out of reach, `suspect` says what to probe it with.
    pub(super) fn done(
        mut self,
        failure: Option<&Error>,
        now: Timestamp,
        suspect: impl FnOnce() -> Suspect,
    ) -> Turn {
        let ended = match failure.map(Error::kind) {
            Some(ErrorKind::Throttled) => Ended::Throttled(failure.and_then(Error::retry_after)),
            Some(ErrorKind::Unreachable) => Ended::Unreachable,
            _ => Ended::Answered,
        };
        let suspect = (ended == Ended::Unreachable).then(suspect);
        let ticket = self.ticket.take();
        ticket.map_or(Turn::None, |ticket| {
            self.governed.give_back(ticket, ended, now, suspect)
        })
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            // The time matters only for the next probe, which may then go at once.
            let (ended, now) = (Ended::Cancelled, Timestamp::MIN);
            self.governed.give_back(ticket, ended, now, None);
        }
    }
}

fn throttled(delay: Duration, store: &StoreKey) -> Error {
    let text = format!("{store} is throttled and asked to wait");
    Error::new(ErrorKind::Throttled, text)
        .with_retry_after(delay)
        .unasked()
}

fn unreachable(_: Duration, store: &StoreKey) -> Error {
    Error::unreachable(format!(
        "{store} cannot be reached; it is probed and tried again"
    ))
    .unasked()
}
