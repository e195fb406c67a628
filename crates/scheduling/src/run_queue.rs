//! The queue of one controller: the schedule of its objects, their backoff, the slots that namespaces
//! and stores share, and the targets that objects share. Decides which object is reconciled next and when it is reconciled
//! again. A pure state machine: time, chance and the claim of an object are arguments.

use std::hash::Hash;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::backoff::Backoff;
use crate::schedule::{Job, Run, Schedule, ScheduleStats};
use crate::slots::Claim;

mod slots;
#[cfg(test)]
mod tests;

use slots::RunSlots;

/// When an object is reconciled next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Not before something happens. Ends the backoff.
    Idle,
    /// At this time, or sooner if something happens. Ends the backoff.
    At(Timestamp),
    /// Soon, without having failed: a conflict or a state that needs another look. Backs off.
    Again,
    /// It failed; the backoff says when.
    Failed,
    /// It failed; the backoff says when, but no later than this.
    FailedWithin(Duration),
    /// It failed, and is tried again at this time. Leaves the backoff as it is.
    FailedUntil(Timestamp),
}

/// A job that has a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started<K> {
    /// The job.
    pub job: Job<K>,
    /// What it occupies; `None` where it needs no slot.
    pub claim: Option<Claim>,
}

/// What a queue holds at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// What the schedule holds.
    pub schedule: ScheduleStats,
    /// Jobs that wait for a slot of their class or for their target.
    pub parked: usize,
    /// How long the object that waits longest has been ready to run.
    pub oldest: Duration,
}

/// Pending work of one controller.
#[derive(Debug)]
pub struct RunQueue<K> {
    schedule: Schedule<K>,
    backoff: Backoff<K>,
    slots: RunSlots<K>,
}

impl<K> Default for RunQueue<K> {
    fn default() -> Self {
        Self {
            schedule: Schedule::default(),
            backoff: Backoff::default(),
            slots: RunSlots::default(),
        }
    }
}

impl<K: Eq + Clone + Hash> RunQueue<K> {
    /// Queues an object as soon as possible. Returns whether it was not queued already.
    pub fn fresh(&mut self, key: K, now: Timestamp) -> bool {
        self.schedule.fresh(key, now)
    }

    /// Sets the deadline of an object, in place of the one it had.
    pub fn due(&mut self, key: K, at: Timestamp) {
        self.schedule.due(key, at);
    }

    /// Forgets an object that is gone.
    pub fn remove(&mut self, key: &K) {
        self.schedule.remove(key);
        self.backoff.reset(key);
    }

    /// Forgets the failures of an object: its next failure waits a second again.
    pub fn reset_backoff(&mut self, key: &K) {
        self.backoff.reset(key);
    }

    /// Starts the next parked job whose class may take one of the `free` slots.
    pub fn start_parked(&mut self, free: usize, now: Timestamp) -> Option<Started<K>> {
        self.slots.start_parked(free, now)
    }

    /// Takes the next object off the schedule. Call [`RunQueue::start`] with it.
    pub fn pop(&mut self, now: Timestamp) -> Option<Job<K>> {
        self.schedule.pop(now)
    }

    /// Gives a popped job one of the `free` slots, or parks it until its class may take one and no other
    /// job has its target. A job without a claim takes any slot.
    pub fn start(
        &mut self,
        job: Job<K>,
        claim: Option<Claim>,
        free: usize,
        now: Timestamp,
    ) -> Option<Started<K>> {
        self.slots.start(job, claim, free, now)
    }

    /// Ends a job: gives its slot back and schedules the object again.
    pub fn finish(
        &mut self,
        (key, run, claim): (&K, Run, Option<Claim>),
        next: Next,
        now: Timestamp,
        chance: f64,
    ) {
        self.slots.give_back(claim);
        let at = match next {
            Next::Idle => None,
            Next::At(at) | Next::FailedUntil(at) => Some(at),
            Next::Again | Next::Failed => {
                Some(later(now, self.backoff.failed(key.clone(), chance)))
            }
            Next::FailedWithin(longest) => {
                let delay = self.backoff.failed(key.clone(), chance);
                Some(later(now, delay.min(longest)))
            }
        };
        if matches!(next, Next::Idle | Next::At(_)) {
            self.backoff.reset(key);
        }
        self.schedule.finish(run, at);
    }

    /// The earliest deadline; fresh work needs no waiting for.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.schedule.next_deadline()
    }

    /// What the queue holds.
    pub fn stats(&self, now: Timestamp) -> QueueStats {
        let schedule = self.schedule.stats(now);
        QueueStats {
            oldest: schedule.oldest.max(self.slots.oldest(now)),
            parked: self.slots.parked(),
            schedule,
        }
    }
}

fn later(now: Timestamp, delay: Duration) -> Timestamp {
    let delay = SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
    now.checked_add(delay).unwrap_or(Timestamp::MAX)
}
