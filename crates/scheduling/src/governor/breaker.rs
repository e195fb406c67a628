//! The circuit breaker of one store: closed, open, or half-open with one probe under way. A failure of
//! one key is that key's own. The breaker opens when several keys failed in a row, or the server could
//! not be reached several times in a row, and no key that answered lately answers any more: such a key
//! is a witness, and the shell reads the witnesses again when the store comes under suspicion.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use super::Call;
use crate::moment::span;

/// Keys that fail in a row, or failures to reach the server in a row, before the store is suspected.
pub(super) const TRIPS: usize = 3;
/// First and longest time between two probes.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Keys kept as witnesses, one a namespace as far as possible.
pub(super) const MOST_WITNESSES: usize = 3;
/// Failing keys that are told apart; more of them prove nothing more.
const MOST_FAILING: usize = 64;

/// What the end of a call changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// None.
    None,
    /// Several keys fail; [`super::Governor::witnesses`] are to be read again to find out whether the
    /// store is down.
    Suspected,
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
    /// One probe.
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
    suspected: bool,
    /// Whether the server was reached in one of the failures since the last answer.
    reached: bool,
    witnesses: VecDeque<Call>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            state: State::Closed,
            failing: BTreeSet::new(),
            unreachable: 0,
            suspected: false,
            reached: false,
            witnesses: VecDeque::new(),
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

    /// Marks the probe as under way.
    pub(super) fn probe(&mut self) {
        if let State::Open { wait, .. } = self.state {
            self.state = State::HalfOpen { wait };
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state != State::Closed
    }

    pub(super) fn is_suspected(&self) -> bool {
        self.suspected
    }

    pub(super) fn confirmed(&mut self) {
        self.suspected = false;
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

    pub(super) fn witnesses(&self) -> impl Iterator<Item = Call> + '_ {
        self.witnesses.iter().copied()
    }

    /// The backend answered. Returns whether that closed the breaker.
    pub(super) fn answered(&mut self, call: Call, probe: bool) -> bool {
        if self.is_open() && !probe {
            // It set off before the breaker opened and says nothing about now.
            return false;
        }
        self.failing.clear();
        (self.unreachable, self.suspected, self.reached) = (0, false, false);
        self.remember(call);
        let closed = self.is_open();
        self.state = State::Closed;
        closed
    }

    /// Keeps the call as a witness. A namespace with several of them makes room first, so that the keys
    /// of one namespace do not vouch for the store alone.
    fn remember(&mut self, call: Call) {
        if self.witnesses.contains(&call) {
            return;
        }
        if self.witnesses.len() >= MOST_WITNESSES {
            let of = |namespace: u64| {
                let own = self.witnesses.iter();
                own.filter(|known| known.namespace == namespace).count()
            };
            let own = |known: &Call| known.namespace == call.namespace;
            let several = |known: &Call| of(known.namespace) > 1;
            let place = self.witnesses.iter().position(own);
            let place = place.or_else(|| self.witnesses.iter().position(several));
            self.witnesses.remove(place.unwrap_or(0));
        }
        self.witnesses.push_back(call);
    }

    /// A call failed; `reached` says that it need not be the whole server's fault.
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
        self.witnesses.retain(|known| known.key != call.key);
        if self.failing.len() < MOST_FAILING {
            self.failing.insert(call.key);
        }
        self.unreachable += usize::from(!reached);
        self.reached |= reached;
        self.judge(now)
    }

    /// Drops a witness that nobody reads any more.
    pub(super) fn forget(&mut self, key: u64, now: i64) -> Change {
        self.witnesses.retain(|known| known.key != key);
        self.judge(now)
    }

    fn judge(&mut self, now: i64) -> Change {
        let closed = self.state == State::Closed;
        if !closed || self.failing.len() < TRIPS && self.unreachable < TRIPS {
            return Change::None;
        }
        if self.witnesses.is_empty() {
            let wait = span(SHORTEST);
            let until = now + wait;
            self.state = State::Open { until, wait };
            self.suspected = false;
            return Change::Opened;
        }
        if std::mem::replace(&mut self.suspected, true) {
            return Change::None;
        }
        Change::Suspected
    }

    /// A probe ended without saying anything: the next one may go at once.
    pub(super) fn cancelled(&mut self, now: i64) {
        if let State::HalfOpen { wait } = self.state {
            self.state = State::Open { until: now, wait };
        }
    }

    /// Makes the next probe due.
    pub(super) fn end_wait(&mut self, now: i64) {
        if let State::Open { until, .. } = &mut self.state {
            *until = now;
        }
    }
}
