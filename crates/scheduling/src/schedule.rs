//! Decides which object is reconciled next. Two lanes: fresh work first in, first out; due work by its
//! deadline. Fresh work goes first, but one dispatch in eight is kept for due work, so that many changes
//! cannot starve refreshes. An object is never reconciled twice at once; a trigger during a reconcile
//! queues it once more. A pure state machine: time is an argument.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use jiff::Timestamp;

use crate::deadlines::Deadlines;
use crate::moment::{ClockGuard, NEVER, ceiling, floor, timestamp};
use crate::slab::Slab;

mod lane;
#[cfg(test)]
mod tests;

use lane::FreshLane;

/// One dispatch in this many goes to due work while both lanes have some.
pub const DUE_SHARE: u32 = 8;

/// Time to the next run of an object that ran while the clock was set back, in milliseconds.
const RECHECK: i64 = 1_000;

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
    /// By which [`Schedule::finish`] knows it.
    pub run: Run,
}

/// A run under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run(u32);

/// What a schedule holds at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScheduleStats {
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

/// Pending work of one kind of object. Objects are numbered, so that lanes hold numbers.
#[derive(Debug)]
pub struct Schedule<K> {
    numbers: HashMap<K, u32>,
    slots: Slab<Slot<K>>,
    fresh: FreshLane,
    due: Deadlines,
    fresh_in_a_row: u32,
    running: usize,
    clock: ClockGuard,
}

/// State of one object; objects without work have none.
#[derive(Debug)]
struct Slot<K> {
    key: K,
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
    /// Epoch of the clock in which the run began.
    epoch: u32,
}

impl<K> Slot<K> {
    fn new(key: K) -> Self {
        Self {
            key,
            ticket: None,
            fresh_since: 0,
            due: NEVER,
            running: false,
            again: false,
            gone: false,
            epoch: 0,
        }
    }
}

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            slots: Slab::default(),
            fresh: FreshLane::default(),
            due: Deadlines::default(),
            fresh_in_a_row: 0,
            running: 0,
            clock: ClockGuard::default(),
        }
    }
}

impl<K: Eq + Clone + Hash> Schedule<K> {
    /// Asks for a run as soon as possible. Returns whether that is news.
    pub fn fresh(&mut self, key: K, now: Timestamp) -> bool {
        let number = self.number(key);
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        if slot.again || slot.ticket.is_some() {
            return false;
        }
        slot.fresh_since = floor(now);
        if slot.running {
            slot.again = true;
        } else {
            slot.ticket = Some(self.fresh.join(number));
        }
        true
    }

    /// Sets the deadline of an object, in place of the one it had. During its run the earliest of
    /// those asked for and the run's own counts.
    pub fn due(&mut self, key: K, at: Timestamp) {
        let at = ceiling(at);
        let number = self.number(key);
        let Some(slot) = self.slots.get_mut(number) else {
            return;
        };
        if slot.running {
            slot.due = slot.due.min(at);
            return;
        }
        let old = std::mem::replace(&mut slot.due, at);
        if old != NEVER {
            self.due.remove(old, number);
        }
        self.due.insert(at, number);
    }

    fn number(&mut self, key: K) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.slots.insert(Slot::new(key.clone()));
        self.numbers.insert(key, number);
        number
    }

    /// Forgets an object and its pending work. A run of it that is under way ends without successor.
    pub fn remove(&mut self, key: &K) {
        let number = self.numbers.get(key).copied();
        let slot = number.and_then(|number| self.slots.get_mut(number));
        let (Some(number), Some(slot)) = (number, slot) else {
            return;
        };
        if slot.running {
            (slot.again, slot.gone, slot.due) = (false, true, NEVER);
            return;
        }
        self.leave_lanes(number);
        self.forget(number);
    }

    fn forget(&mut self, number: u32) {
        if let Some(slot) = self.slots.remove(number) {
            self.numbers.remove(&slot.key);
        }
    }

    /// Takes an object out of both lanes.
    fn leave_lanes(&mut self, number: u32) {
        let Some(slot) = self.slots.get_mut(number) else {
            return;
        };
        let due = std::mem::replace(&mut slot.due, NEVER);
        let ticket = slot.ticket.take();
        if due != NEVER {
            self.due.remove(due, number);
        }
        if ticket.is_some() {
            self.fresh.left(&self.slots);
        }
    }

    /// The next object to run, marked as running until [`Schedule::finish`].
    pub fn pop(&mut self, now: Timestamp) -> Option<Job<K>> {
        let now = floor(now);
        if let Some(back) = self.clock.look(now) {
            self.set_back(back);
        }
        let ripe = self.due.first().filter(|(at, _)| *at <= now);
        let owed = self.fresh_in_a_row >= DUE_SHARE - 1;
        if let Some((at, number)) = ripe
            && (owed || self.fresh.is_empty())
        {
            self.fresh_in_a_row = 0;
            return self.start(number, Lane::Due, now - at);
        }
        let number = self.fresh.pop(&self.slots)?;
        self.fresh_in_a_row = if ripe.is_some() {
            self.fresh_in_a_row + 1
        } else {
            0
        };
        let since = self.slots.get(number).map_or(now, |slot| slot.fresh_since);
        self.start(number, Lane::Fresh, now - since)
    }

    fn start(&mut self, number: u32, lane: Lane, waited: i64) -> Option<Job<K>> {
        // One run serves both lanes.
        self.leave_lanes(number);
        let slot = self.slots.get_mut(number)?;
        (slot.running, slot.epoch) = (true, self.clock.epoch());
        self.running += 1;
        Some(Job {
            key: slot.key.clone(),
            run: Run(number),
            lane,
            waited: Duration::from_millis(u64::try_from(waited).unwrap_or(0)),
        })
    }

    /// Moves deadlines with a clock that was set back.
    fn set_back(&mut self, by: i64) {
        for slot in self.slots.values_mut() {
            slot.fresh_since -= by;
            if slot.due != NEVER {
                slot.due -= by;
            }
        }
        self.due.set_back(by);
    }

    /// Ends the run of an object and sets its next deadline, unless it was removed meanwhile.
    pub fn finish(&mut self, run: Run, next: Option<Timestamp>) {
        let Run(number) = run;
        let slot = self.slots.get_mut(number).filter(|slot| slot.running);
        let Some(slot) = slot else {
            return;
        };
        self.running -= 1;
        let mut next = next.filter(|_| !slot.gone).map_or(NEVER, ceiling);
        if slot.epoch != self.clock.epoch() && next != NEVER {
            // The run may have computed it before the clock was set back; one more run tells.
            next = next.min(self.clock.latest() + RECHECK);
        }
        let due = slot.due.min(next);
        if !slot.again && due == NEVER {
            self.forget(number);
            return;
        }
        (slot.running, slot.gone, slot.due) = (false, false, due);
        if std::mem::take(&mut slot.again) {
            slot.ticket = Some(self.fresh.join(number));
        }
        if due != NEVER {
            self.due.insert(due, number);
        }
    }

    /// The earliest deadline; fresh work needs no waiting for.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let (at, _) = self.due.first()?;
        Some(timestamp(at))
    }

    /// Number of objects running.
    pub fn running(&self) -> usize {
        self.running
    }

    /// What the schedule holds. Takes time in proportion to the objects due in this second.
    pub fn stats(&self, now: Timestamp) -> ScheduleStats {
        let now = floor(now);
        let due = self.due.ripe(now);
        let oldest_fresh = self.fresh.first(&self.slots);
        let oldest_fresh = oldest_fresh.and_then(|number| self.slots.get(number));
        let since = oldest_fresh.map_or(now, |slot| slot.fresh_since);
        let since = self.due.first().map_or(since, |(at, _)| since.min(at));
        ScheduleStats {
            fresh: self.fresh.len(),
            due,
            scheduled: self.due.len() - due,
            running: self.running,
            oldest: Duration::from_millis(u64::try_from(now - since).unwrap_or(0)),
        }
    }
}
