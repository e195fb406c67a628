//! The circuit breaker of one store: closed, open, or half-open with one probe read under way. A failing
//! key alone does not open it, unless it is the last one that answered: then nothing speaks for the store
//! any more. After several failing keys in a row, or several failures to reach the server in a row, the
//! breaker asks to confirm the outage: the caller reads the keys again that answered lately, and the
//! breaker opens when none of them answers.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use super::Call;
use crate::moment::span;

/// Keys that fail in a row, failures to reach the server in a row, or failures in a row of the last key
/// that answered, before an outage is confirmed.
pub(super) const TRIPS: usize = 3;
/// First and longest time between two probe reads.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Keys that answered lately and are kept, of different namespaces as far as possible.
pub(super) const MOST_KNOWN_GOOD: usize = 3;
/// Failing keys that are counted; more of them prove nothing more.
const MOST_FAILING: usize = 64;

/// What the end of a call changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// None.
    None,
    /// Several keys fail. The caller has to read [`super::Governor::known_good`] again to find out
    /// whether the store is down.
    ConfirmOutage,
    /// The breaker opened.
    Opened,
    /// The breaker closed: the store answers again.
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open { until: i64, wait: i64 },
    HalfOpen { wait: i64 },
}

/// What the breaker lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// Every call.
    Pass,
    /// One probe read.
    Probe,
    /// Nothing before this moment.
    Refuse(i64),
}

#[derive(Clone, Debug)]
pub(super) struct Breaker {
    state: State,
    /// Keys that failed since the last answer.
    failing: BTreeSet<u64>,
    /// Failures to reach the server since the last answer.
    unreachable: usize,
    /// The last key that answered, and its failures since.
    last_good: Option<(u64, usize)>,
    confirming: bool,
    /// Whether the server was reached in one of the failures since the last answer.
    reached: bool,
    known_good: VecDeque<Call>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            state: State::Closed,
            failing: BTreeSet::new(),
            unreachable: 0,
            last_good: None,
            confirming: false,
            reached: false,
            known_good: VecDeque::new(),
        }
    }
}

impl Breaker {
    pub(super) fn gate(&self, now: i64) -> Gate {
        match self.state {
            State::Closed => Gate::Pass,
            State::Open { until, .. } if until > now => Gate::Refuse(until),
            State::Open { .. } => Gate::Probe,
            State::HalfOpen { wait } => Gate::Refuse(now + wait),
        }
    }

    /// Half-opens the breaker: the probe read is under way.
    pub(super) fn probe(&mut self) {
        if let State::Open { wait, .. } = self.state {
            self.state = State::HalfOpen { wait };
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state != State::Closed
    }

    pub(super) fn is_confirming_outage(&self) -> bool {
        self.confirming
    }

    pub(super) fn end_confirmation(&mut self) {
        self.confirming = false;
    }

    pub(super) fn check_proves(&self) -> bool {
        !self.reached
    }

    pub(super) fn next_probe(&self) -> Option<i64> {
        match self.state {
            State::Open { until, .. } => Some(until),
            _ => None,
        }
    }

    pub(super) fn known_good(&self) -> impl Iterator<Item = Call> + '_ {
        self.known_good.iter().copied()
    }

    /// Notes an answer of the backend. Returns whether it closed the breaker.
    pub(super) fn answered(&mut self, call: Call, probe: bool) -> bool {
        if self.is_open() && !probe {
            // The call started before the breaker opened and says nothing about now.
            return false;
        }
        self.failing.clear();
        (self.unreachable, self.confirming, self.reached) = (0, false, false);
        self.last_good = None;
        self.remember(call);
        let closed = self.is_open();
        self.state = State::Closed;
        closed
    }

    /// Keeps the call as known good. A namespace with several of them makes room first, so that one
    /// namespace does not decide alone whether the store answers.
    fn remember(&mut self, call: Call) {
        if self.known_good.contains(&call) {
            return;
        }
        if self.known_good.len() >= MOST_KNOWN_GOOD {
            let of = |namespace: u64| {
                let own = self.known_good.iter();
                own.filter(|known| known.namespace == namespace).count()
            };
            let own = |known: &Call| known.namespace == call.namespace;
            let several = |known: &Call| of(known.namespace) > 1;
            let place = self.known_good.iter().position(own);
            let place = place.or_else(|| self.known_good.iter().position(several));
            self.known_good.remove(place.unwrap_or(0));
        }
        self.known_good.push_back(call);
    }

    /// Notes a failed call; `reached` says that the server was reached.
    pub(super) fn failed(&mut self, call: Call, reached: bool, probe: bool, now: i64) -> Change {
        match self.state {
            State::HalfOpen { wait } if probe => {
                self.reached |= reached;
                let wait = (wait * 2).min(span(LONGEST));
                let until = now + wait;
                self.state = State::Open { until, wait };
                return Change::None;
            }
            State::Open { .. } | State::HalfOpen { .. } => return Change::None,
            State::Closed => {}
        }
        let was_good = self.known_good.iter().any(|known| known.key == call.key);
        self.known_good.retain(|known| known.key != call.key);
        if was_good && self.known_good.is_empty() {
            self.last_good = Some((call.key, 0));
        }
        if let Some((key, failures)) = &mut self.last_good
            && *key == call.key
        {
            *failures += 1;
        }
        if self.failing.len() < MOST_FAILING {
            self.failing.insert(call.key);
        }
        self.unreachable += usize::from(!reached);
        self.reached |= reached;
        self.judge(now)
    }

    /// Drops a known-good key that no object reads any more.
    pub(super) fn forget(&mut self, key: u64, now: i64) -> Change {
        self.known_good.retain(|known| known.key != key);
        self.judge(now)
    }

    fn judge(&mut self, now: i64) -> Change {
        let closed = self.state == State::Closed;
        let lone = self.last_good.map_or(0, |(_, failures)| failures);
        let counts = [self.failing.len(), self.unreachable, lone];
        if !closed || counts.iter().all(|count| *count < TRIPS) {
            return Change::None;
        }
        if self.known_good.is_empty() {
            let wait = span(SHORTEST);
            let until = now + wait;
            self.state = State::Open { until, wait };
            self.confirming = false;
            return Change::Opened;
        }
        if std::mem::replace(&mut self.confirming, true) {
            return Change::None;
        }
        Change::ConfirmOutage
    }

    /// Notes a cancelled probe read: the next one may start at once.
    pub(super) fn cancelled(&mut self, now: i64) {
        if let State::HalfOpen { wait } = self.state {
            self.state = State::Open { until: now, wait };
        }
    }

    /// Makes the next probe read due.
    pub(super) fn end_wait(&mut self, now: i64) {
        if let State::Open { until, .. } = &mut self.state {
            *until = now;
        }
    }
}
