//! Limits the calls to one store. Concurrency grows by one for each round of answers and is halved when
//! the backend throttles several namespaces; namespaces share the slots fairly; a failing key has a
//! backoff of its own; a store that is down gets one probe read at a time. Decides nothing about what an
//! answer means.

mod breaker;
mod keys;
mod shares;

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::moment::{ClockGuard, floor, span, timestamp};
use breaker::{Breaker, Gate};
use keys::FailingKeys;
use shares::{ONE_CUT, Pause, Shares};

pub use breaker::Change;
pub use shares::Waiter;

#[cfg(test)]
mod tests;

/// Calls at once at the start; one namespace alone gets half.
const FIRST: f64 = 64.0;
/// Most calls at once.
const MOST: f64 = 256.0;
/// Calls at once after the store came back: it may still be weak.
const AFTER_OUTAGE: f64 = 8.0;
/// Longest pause that is obeyed.
const LONGEST_TOLD: Duration = Duration::from_hours(1);
/// Longest pause a call waits for; a longer one refuses it.
const PATIENCE: Duration = Duration::from_secs(2);

/// One call: for which namespace, and of what. Both are hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// Namespace of the object that causes it.
    pub namespace: u64,
    /// What is asked for. Failures of one key are counted together.
    pub key: u64,
}

/// What a call that waited may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Go ahead, and say how it went with [`Governor::done`].
    Go(Ticket),
    /// The backend asked for a pause.
    Throttled(Timestamp),
    /// The breaker is open; the next probe is made then.
    Open(Timestamp),
    /// This key failed several times in a row and is asked for again then.
    Failing(Timestamp),
}

/// One call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The call.
    pub call: Call,
    /// Whether this call finds out if the store is back.
    pub probe: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The backend answered, be it with an error of its own.
    Answered,
    /// It wants fewer calls, and no more before this delay is over.
    Throttled(Option<Duration>),
    /// It failed for this key: a 5xx answer, or none in time.
    Failed,
    /// The server could not be reached at all.
    Unreachable,
    /// The caller went away; that says nothing.
    Cancelled,
}

/// State of one store.
#[derive(Clone, Debug)]
pub struct Governor {
    limit: f64,
    in_flight: u32,
    shares: Shares,
    keys: FailingKeys,
    breaker: Breaker,
    pause: Pause,
    last_cut: i64,
    /// Namespaces that were throttled since the last answer.
    throttled: BTreeSet<u64>,
    clock: ClockGuard,
}

impl Default for Governor {
    fn default() -> Self {
        Self {
            limit: FIRST,
            in_flight: 0,
            shares: Shares::default(),
            keys: FailingKeys::default(),
            breaker: Breaker::default(),
            pause: Pause::default(),
            last_cut: i64::MIN,
            throttled: BTreeSet::new(),
            clock: ClockGuard::default(),
        }
    }
}

impl Governor {
    /// Puts a call into the queue of its namespace; [`Governor::admit`] decides about it.
    pub fn wait(&mut self, call: Call) -> Waiter {
        self.shares.wait(call)
    }

    /// Takes a call out of its queue.
    pub fn leave(&mut self, waiter: Waiter) {
        self.shares.leave(waiter);
    }

    /// Decides about waiting calls; those that are not returned wait on.
    pub fn admit(&mut self, now: Timestamp) -> Vec<(Waiter, Admission)> {
        let now = self.look(now);
        let mut decided = Vec::new();
        match self.breaker.gate(now) {
            Gate::Pass => {}
            Gate::Refuse(until) => {
                self.refuse_all(Admission::Open(timestamp(until)), &mut decided);
                return decided;
            }
            Gate::Probe => {
                let Some(call) = self.next_call() else {
                    return decided;
                };
                self.breaker.probe();
                self.grant(call, true, &mut decided);
                return decided;
            }
        }
        if let Some(until) = self.pause.lasts(now) {
            if until - now > span(PATIENCE) {
                self.refuse_all(Admission::Throttled(timestamp(until)), &mut decided);
            }
            return decided;
        }
        while self.serve_a_round(now, &mut decided) {}
        decided
    }

    /// Serves each namespace once, round robin. Returns whether any call was decided about.
    fn serve_a_round(&mut self, now: i64, decided: &mut Vec<(Waiter, Admission)>) -> bool {
        let before = decided.len();
        for namespace in self.shares.round() {
            let Some(call) = self.shares.first(namespace) else {
                continue;
            };
            if let Some(until) = self.keys.backoff_until(call.key, now) {
                self.refuse(namespace, Admission::Failing(timestamp(until)), decided);
            } else if let Some(until) = self.shares.paused(namespace, now) {
                if until - now > span(PATIENCE) {
                    self.refuse(namespace, Admission::Throttled(timestamp(until)), decided);
                }
            } else if self.shares.has_room(namespace, self.free(), self.limit) {
                self.grant(call, false, decided);
            }
        }
        decided.len() > before
    }

    fn next_call(&self) -> Option<Call> {
        let first = self.shares.round().first().copied()?;
        self.shares.first(first)
    }

    fn grant(&mut self, call: Call, probe: bool, decided: &mut Vec<(Waiter, Admission)>) {
        if let Some(waiter) = self.shares.pop(call.namespace) {
            self.shares.taken(call.namespace);
            self.in_flight += 1;
            decided.push((waiter, Admission::Go(Ticket { call, probe })));
        }
    }

    fn refuse(&mut self, namespace: u64, why: Admission, decided: &mut Vec<(Waiter, Admission)>) {
        decided.extend(self.shares.pop(namespace).map(|waiter| (waiter, why)));
    }

    fn refuse_all(&mut self, why: Admission, decided: &mut Vec<(Waiter, Admission)>) {
        for namespace in self.shares.round() {
            while let Some(waiter) = self.shares.pop(namespace) {
                decided.push((waiter, why));
            }
        }
    }

    /// Slots nobody holds.
    fn free(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the limit lies between 1 and 256"
        )]
        let limit = self.limit as u32;
        limit.saturating_sub(self.in_flight)
    }

    /// Notes how a call ended.
    pub fn done(&mut self, ticket: Ticket, ended: Ended, now: Timestamp) -> Change {
        let Ticket { call, probe } = ticket;
        self.in_flight = self.in_flight.saturating_sub(1);
        let change = match ended {
            Ended::Answered => self.answered(call, probe),
            Ended::Throttled(told) => {
                let now = self.look(now);
                self.throttled(call, probe, told, now)
            }
            Ended::Failed | Ended::Unreachable => {
                let now = self.look(now);
                self.failed(call, ended == Ended::Failed, probe, now)
            }
            Ended::Cancelled => {
                if probe {
                    self.breaker.cancelled(self.clock.latest());
                }
                Change::None
            }
        };
        self.shares.ended(call.namespace);
        change
    }

    fn answered(&mut self, call: Call, probe: bool) -> Change {
        self.keys.answered(call.key);
        if self.breaker.is_open() && !probe {
            return Change::None;
        }
        self.shares.answered(call.namespace);
        self.throttled.clear();
        self.pause.answered();
        if self.breaker.answered(call, probe) {
            return self.close();
        }
        // Room that is not used is no reason for more. One namespace alone uses half of it.
        if f64::from(self.in_flight) + 2.0 >= self.limit / 2.0 {
            self.limit = (self.limit + 1.0 / self.limit).min(MOST);
        }
        Change::None
    }

    /// Slows the namespace down that was throttled; the store only when others are throttled too.
    fn throttled(&mut self, call: Call, probe: bool, told: Option<Duration>, now: i64) -> Change {
        let closed = self.breaker.answered(call, probe);
        let change = if closed { self.close() } else { Change::None };
        if self.shares.cut(call.namespace, now) || told.is_some() {
            self.shares.pause(call.namespace, told, LONGEST_TOLD, now);
        }
        self.throttled.insert(call.namespace);
        if self.throttled.len() > 1 && (self.cut(now) || told.is_some()) {
            self.pause.begin(told, LONGEST_TOLD, now);
        }
        change
    }

    fn failed(&mut self, call: Call, reached: bool, probe: bool, now: i64) -> Change {
        if !self.breaker.is_open() {
            self.keys.failed(call.key, now);
            self.shares.cut(call.namespace, now);
        }
        self.breaker.failed(call, reached, probe, now)
    }

    /// Halves the limit, at most once a second. Returns whether it did.
    fn cut(&mut self, now: i64) -> bool {
        if (0..ONE_CUT).contains(&now.saturating_sub(self.last_cut)) {
            return false;
        }
        self.last_cut = now;
        self.limit = (self.limit / 2.0).max(1.0);
        true
    }

    fn close(&mut self) -> Change {
        self.keys.clear();
        self.limit = AFTER_OUTAGE;
        Change::Closed
    }

    /// Looks at the clock. A clock that was set back ends all waits: nobody knows how much of them is
    /// over, and the backend throttles again if it has to.
    fn look(&mut self, now: Timestamp) -> i64 {
        let now = floor(now);
        if self.clock.look(now).is_some() {
            self.shares.end_pauses();
            self.keys.end_waits(now);
            self.breaker.end_wait(now);
            self.pause.end();
            self.last_cut = i64::MIN;
        }
        now
    }

    /// Returns the keys that answered lately, to be read again to [confirm an outage](Change::ConfirmOutage).
    pub fn known_good(&self) -> Vec<Call> {
        self.breaker.known_good().collect()
    }

    /// Forgets a known-good key that no object reads any more.
    pub fn forget_known_good(&mut self, key: u64, now: Timestamp) -> Change {
        let now = self.look(now);
        self.breaker.forget(key, now)
    }

    /// Whether the known-good keys have to be read again.
    pub fn is_confirming_outage(&self) -> bool {
        self.breaker.is_confirming_outage()
    }

    /// Notes that the known-good keys were read again. If none answered and not all failed, the next
    /// failure asks to confirm the outage again.
    pub fn end_confirmation(&mut self) {
        self.breaker.end_confirmation();
    }

    /// Whether a successful check of the store proves that it is back. A check often asks less of a
    /// store than a read does, so it proves nothing where the server was reached and keys failed.
    pub fn check_proves(&self) -> bool {
        self.breaker.check_proves()
    }

    /// When the next probe is due, while the breaker is open and none is under way.
    pub fn next_probe(&self) -> Option<Timestamp> {
        self.breaker.next_probe().map(timestamp)
    }

    /// Whether the breaker is open or half-open.
    pub fn is_open(&self) -> bool {
        self.breaker.is_open()
    }

    /// When a key that failed several times in a row may be asked for again, while that is to come.
    pub fn backoff_until(&mut self, key: u64, now: Timestamp) -> Option<Timestamp> {
        let now = self.look(now);
        self.keys.backoff_until(key, now).map(timestamp)
    }

    /// Notes a failure that took no slot, such as that of an attempt to connect.
    pub fn failed_outside(&mut self, call: Call, ended: Ended, now: Timestamp) -> Change {
        let now = self.look(now);
        match ended {
            Ended::Failed | Ended::Unreachable => {
                self.failed(call, ended == Ended::Failed, false, now)
            }
            Ended::Throttled(told) => self.throttled(call, false, told, now),
            Ended::Answered | Ended::Cancelled => Change::None,
        }
    }

    /// The latest moment this governor was told.
    pub fn latest(&self) -> Option<Timestamp> {
        let latest = self.clock.latest();
        (latest != i64::MIN).then(|| timestamp(latest))
    }

    /// Calls at once.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Calls under way.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }
}
