//! Decides which object runs next. Two lanes: fresh work first in, first out; due work by its
//! deadline. Fresh goes first, but one dispatch in eight is kept for due work, so that churn cannot
//! starve refreshes. An object has one slot: it never runs twice at once, and a trigger during its
//! run makes it run once more. A pure state machine: time is an argument, nothing waits here.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::time::Duration;

use jiff::Timestamp;

use crate::moment::{NEVER, ceiling, floor, timestamp};

#[cfg(test)]
mod tests;

/// One dispatch in this many goes to due work while both lanes have some.
const DUE_SHARE: u32 = 8;

/// Why an object runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Something happened: new, changed, touched, forced, or an input changed.
    Fresh,
    /// Its deadline came.
    Due,
}

/// One run to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job<K> {
    /// The object.
    pub key: K,
    /// The lane it came from.
    pub lane: Lane,
    /// How long it was ready to run.
    pub waited: Duration,
}

/// What a schedule holds at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Objects waiting in the fresh lane.
    pub fresh: usize,
    /// Objects whose deadline has come.
    pub due: usize,
    /// Objects whose deadline is yet to come.
    pub scheduled: usize,
    /// Objects running.
    pub running: usize,
    /// How long the longest waiting object has been ready.
    pub oldest: Duration,
}

/// Pending work of one kind of object. `K` is stored up to three times; keep it small.
#[derive(Debug)]
pub struct Schedule<K> {
    slots: HashMap<K, Slot>,
    fresh: BTreeMap<u64, K>,
    due: BTreeSet<(i64, K)>,
    next_ticket: u64,
    fresh_in_a_row: u32,
    running: usize,
}

/// State of one object; objects without work have none.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Place in the fresh lane.
    ticket: Option<u64>,
    /// When it became fresh, in milliseconds.
    fresh_since: i64,
    /// Deadline in milliseconds. While running, one asked for during the run.
    due: i64,
    running: bool,
    /// Became fresh while running.
    again: bool,
    /// Removed while running: what the run wants next no longer counts.
    gone: bool,
}

const EMPTY: Slot = Slot {
    ticket: None,
    fresh_since: 0,
    due: NEVER,
    running: false,
    again: false,
    gone: false,
};

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self {
            slots: HashMap::new(),
            fresh: BTreeMap::new(),
            due: BTreeSet::new(),
            next_ticket: 0,
            fresh_in_a_row: 0,
            running: 0,
        }
    }
}

impl<K: Ord + Clone + Hash> Schedule<K> {
    /// Asks for a run as soon as possible. Returns whether that is news.
    pub fn fresh(&mut self, key: K, now: Timestamp) -> bool {
        let slot = self.slots.entry(key.clone()).or_insert(EMPTY);
        if slot.again || slot.ticket.is_some() {
            return false;
        }
        slot.fresh_since = floor(now);
        if slot.running {
            slot.again = true;
        } else {
            slot.ticket = Some(self.next_ticket);
            self.fresh.insert(self.next_ticket, key);
            self.next_ticket += 1;
        }
        true
    }

    /// Sets the deadline of an object, in place of the one it had. During its run the earliest of
    /// those asked for and the run's own counts.
    pub fn due(&mut self, key: K, at: Timestamp) {
        let at = ceiling(at);
        let slot = self.slots.entry(key.clone()).or_insert(EMPTY);
        if slot.running {
            slot.due = slot.due.min(at);
        } else {
            let old = std::mem::replace(&mut slot.due, at);
            self.due.remove(&(old, key.clone()));
            self.due.insert((at, key));
        }
    }

    /// Forgets an object and its pending work. A run of it that is under way ends without successor.
    pub fn remove(&mut self, key: &K) {
        let Some(slot) = self.slots.get_mut(key) else {
            return;
        };
        if slot.running {
            slot.again = false;
            slot.due = NEVER;
            slot.gone = true;
            return;
        }
        let slot = *slot;
        self.slots.remove(key);
        if let Some(ticket) = slot.ticket {
            self.fresh.remove(&ticket);
        }
        if slot.due != NEVER {
            self.due.remove(&(slot.due, key.clone()));
        }
    }

    /// The next object to run, marked as running until [`Schedule::finish`].
    pub fn pop(&mut self, now: Timestamp) -> Option<Job<K>> {
        let now = floor(now);
        let ripe = self.due.first().is_some_and(|(at, _)| *at <= now);
        let owed = self.fresh_in_a_row >= DUE_SHARE - 1;
        if ripe && (owed || self.fresh.is_empty()) {
            let (at, key) = self.due.pop_first()?;
            self.fresh_in_a_row = 0;
            return Some(self.start(key, Lane::Due, now - at));
        }
        let (_, key) = self.fresh.pop_first()?;
        self.fresh_in_a_row = if ripe { self.fresh_in_a_row + 1 } else { 0 };
        let since = self.slots.get(&key).map_or(now, |slot| slot.fresh_since);
        Some(self.start(key, Lane::Fresh, now - since))
    }

    fn start(&mut self, key: K, lane: Lane, waited: i64) -> Job<K> {
        let slot = self.slots.entry(key.clone()).or_insert(EMPTY);
        // One run serves both lanes.
        if let Some(ticket) = slot.ticket {
            self.fresh.remove(&ticket);
        }
        if slot.due != NEVER {
            self.due.remove(&(slot.due, key.clone()));
        }
        *slot = Slot {
            running: true,
            ..EMPTY
        };
        self.running += 1;
        let waited = Duration::from_millis(u64::try_from(waited).unwrap_or(0));
        Job { key, lane, waited }
    }

    /// Ends the run of an object and sets its next deadline, unless it was removed meanwhile.
    pub fn finish(&mut self, key: &K, next: Option<Timestamp>) {
        let Some(slot) = self.slots.get_mut(key).filter(|slot| slot.running) else {
            return;
        };
        self.running -= 1;
        let next = next.filter(|_| !slot.gone).map_or(NEVER, ceiling);
        let ended = *slot;
        let due = ended.due.min(next);
        if !ended.again && due == NEVER {
            self.slots.remove(key);
            return;
        }
        *slot = Slot { due, ..EMPTY };
        if ended.again {
            slot.fresh_since = ended.fresh_since;
            slot.ticket = Some(self.next_ticket);
            self.fresh.insert(self.next_ticket, key.clone());
            self.next_ticket += 1;
        }
        if due != NEVER {
            self.due.insert((due, key.clone()));
        }
    }

    /// The earliest deadline; fresh work needs no waiting for.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let (at, _) = self.due.first()?;
        Some(timestamp(*at))
    }

    /// Number of objects running.
    pub fn running(&self) -> usize {
        self.running
    }

    /// What the schedule holds. Takes time in proportion to the due objects.
    pub fn stats(&self, now: Timestamp) -> Stats {
        let now = floor(now);
        let due = self.due.iter().take_while(|(at, _)| *at <= now).count();
        let oldest_fresh = self.fresh.values().next();
        let oldest_fresh = oldest_fresh.and_then(|key| self.slots.get(key));
        let since = oldest_fresh.map_or(now, |slot| slot.fresh_since);
        let since = self.due.first().map_or(since, |(at, _)| since.min(*at));
        Stats {
            fresh: self.fresh.len(),
            due,
            scheduled: self.due.len() - due,
            running: self.running,
            oldest: Duration::from_millis(u64::try_from(now - since).unwrap_or(0)),
        }
    }
}
