//! Divides the slots of one store among namespaces. Calls wait in one queue a namespace, and the
//! queues are served in turn. A namespace gets another slot only while it holds fewer than are free,
//! so it never holds more than half, and less after the backend throttled it: its share is halved,
//! and it is paused before anybody else is.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::Call;
use crate::moment::span;

/// First and longest pause the backend did not put a number on.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Failures that come together count as one reason to slow down, in milliseconds.
pub(super) const ONE_CUT: i64 = 1_000;
/// The least part of its share that is left to a namespace.
const LEAST: f64 = 1.0 / 64.0;
/// How much of its share an answer gives back to a namespace.
const REGAINED: f64 = 0.02;

/// Namespaces remembered; beyond, idle ones are forgotten with what they did.
const MOST_KNOWN: usize = 1_024;

/// One call that waits for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Waiter {
    number: u64,
    namespace: u64,
}

/// The pauses a backend asks for, longer each time where it names no time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    pub(super) until: i64,
    throttles: u32,
}

impl Default for Pause {
    fn default() -> Self {
        Self {
            until: i64::MIN,
            throttles: 0,
        }
    }
}

impl Pause {
    /// When it ends, while that is to come.
    pub(super) fn lasts(&self, now: i64) -> Option<i64> {
        (self.until > now).then_some(self.until)
    }

    pub(super) fn begin(&mut self, told: Option<Duration>, longest_told: Duration, now: i64) {
        let doubled = SHORTEST.saturating_mul(2_u32.saturating_pow(self.throttles));
        let pause = told.unwrap_or(doubled.min(LONGEST)).min(longest_told);
        self.throttles = self.throttles.saturating_add(1);
        self.until = self.until.max(now + span(pause));
    }

    pub(super) fn answered(&mut self) {
        self.throttles = 0;
    }

    /// Ends the pause.
    pub(super) fn end(&mut self) {
        self.until = i64::MIN;
    }
}

#[derive(Clone, Debug)]
struct Share {
    in_use: u32,
    waiting: VecDeque<(u64, u64)>,
    /// Part of its share the namespace may use.
    factor: f64,
    pause: Pause,
    last_cut: i64,
}

impl Default for Share {
    fn default() -> Self {
        Self {
            in_use: 0,
            waiting: VecDeque::new(),
            factor: 1.0,
            pause: Pause::default(),
            last_cut: i64::MIN,
        }
    }
}

/// The namespaces that use one store.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    known: BTreeMap<u64, Share>,
    /// Namespaces with waiting calls, in the order they are served.
    round: VecDeque<u64>,
    next_number: u64,
}

impl Shares {
    pub(super) fn wait(&mut self, call: Call) -> Waiter {
        let number = self.next_number;
        self.next_number += 1;
        if self.known.len() >= MOST_KNOWN {
            self.known
                .retain(|_, share| share.in_use > 0 || !share.waiting.is_empty());
        }
        let share = self.known.entry(call.namespace).or_default();
        if share.waiting.is_empty() {
            self.round.push_back(call.namespace);
        }
        share.waiting.push_back((number, call.key));
        Waiter {
            number,
            namespace: call.namespace,
        }
    }

    pub(super) fn leave(&mut self, waiter: Waiter) {
        if let Some(share) = self.known.get_mut(&waiter.namespace) {
            share.waiting.retain(|(number, _)| *number != waiter.number);
            self.settle(waiter.namespace);
        }
    }

    /// Namespaces with waiting calls, in the order they are served.
    pub(super) fn round(&self) -> Vec<u64> {
        self.round.iter().copied().collect()
    }

    /// The call of a namespace that waits longest.
    pub(super) fn first(&self, namespace: u64) -> Option<Call> {
        let (_, key) = self.known.get(&namespace)?.waiting.front()?;
        Some(Call {
            namespace,
            key: *key,
        })
    }

    /// Takes the first waiting call of a namespace, whose turn is then over.
    pub(super) fn pop(&mut self, namespace: u64) -> Option<Waiter> {
        let share = self.known.get_mut(&namespace)?;
        let (number, _) = share.waiting.pop_front()?;
        self.round.retain(|other| *other != namespace);
        self.round.push_back(namespace);
        self.settle(namespace);
        Some(Waiter { number, namespace })
    }

    /// Whether a namespace may have one of `free` slots of `limit`.
    pub(super) fn has_room(&self, namespace: u64, free: u32, limit: f64) -> bool {
        let Some(share) = self.known.get(&namespace) else {
            return free > 0;
        };
        let own = (limit / 2.0 * share.factor).max(1.0);
        share.in_use < free && f64::from(share.in_use) + 1.0 <= own
    }

    pub(super) fn taken(&mut self, namespace: u64) {
        self.known.entry(namespace).or_default().in_use += 1;
    }

    pub(super) fn ended(&mut self, namespace: u64) {
        if let Some(share) = self.known.get_mut(&namespace) {
            share.in_use = share.in_use.saturating_sub(1);
            self.settle(namespace);
        }
    }

    pub(super) fn answered(&mut self, namespace: u64) {
        if let Some(share) = self.known.get_mut(&namespace) {
            share.factor = (share.factor + REGAINED).min(1.0);
            share.pause.answered();
        }
    }

    /// Halves the share of a namespace, at most once a second. Returns whether it did.
    pub(super) fn cut(&mut self, namespace: u64, now: i64) -> bool {
        let share = self.known.entry(namespace).or_default();
        if (0..ONE_CUT).contains(&now.saturating_sub(share.last_cut)) {
            return false;
        }
        share.last_cut = now;
        share.factor = (share.factor / 2.0).max(LEAST);
        true
    }

    pub(super) fn pause(
        &mut self,
        namespace: u64,
        told: Option<Duration>,
        most: Duration,
        now: i64,
    ) {
        let share = self.known.entry(namespace).or_default();
        share.pause.begin(told, most, now);
    }

    /// When the pause of a namespace ends, while that is to come.
    pub(super) fn paused(&self, namespace: u64, now: i64) -> Option<i64> {
        self.known.get(&namespace)?.pause.lasts(now)
    }

    /// Ends all pauses.
    pub(super) fn end_pauses(&mut self) {
        for share in self.known.values_mut() {
            share.pause.end();
            share.last_cut = i64::MIN;
        }
    }

    /// Ends the turns of a namespace that waits for nothing, and forgets it when it is idle. One that
    /// was throttled lately stays known.
    fn settle(&mut self, namespace: u64) {
        let Some(share) = self.known.get(&namespace) else {
            return;
        };
        if share.waiting.is_empty() {
            self.round.retain(|other| *other != namespace);
            if share.in_use == 0 && share.factor >= 1.0 && share.pause.until == i64::MIN {
                self.known.remove(&namespace);
            }
        }
    }

    /// Namespaces that are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}
