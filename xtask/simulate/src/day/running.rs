//! Runs of objects: nothing, a note, or a fetch and the writes that follow from it.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_scheduling::run_queue::{Next, Started};
use lockstep_scheduling::single_flight::HOLD;

use super::{Day, Event, Run, Waiter, at};
use crate::fleet::part;
use crate::remote::{MINUTE, SECOND};

const WRITE: i64 = 5;
/// How old an answer may be for an object that is refreshed on time.
const HOLD_MILLISECONDS: i64 = HOLD.as_secs() * SECOND;
/// How long an object waits for a store whose breaker is open, unless the store recovers.
const OUTAGE_WAIT: i64 = 5 * MINUTE;

impl Day {
    pub(super) fn run_object(&mut self, started: Started<u32>) {
        self.object_runs += 1;
        let number = started.job.key;
        let object = &mut self.fleet.objects[number as usize];
        let shared = self
            .groups
            .refreshed(&number)
            .map(Timestamp::as_millisecond);
        let refreshed = shared.or(object.noted().filter(|_| object.ready));
        let changed = std::mem::take(&mut object.input_changed);
        if let Some(refreshed) = refreshed
            && !changed
            && refreshed + object.interval() > self.now
        {
            let next = if shared.is_some() {
                // The status is noted, and that is all.
                self.api_requests += u64::from(object.noted() < Some(refreshed));
                object.note(refreshed);
                object.refreshed = refreshed;
                object.note_at(refreshed, fastrand::f64())
            } else {
                refreshed + object.interval() + part(object.interval(), 0.1 * fastrand::f64())
            };
            self.finish(&started, Next::At(at(next)));
            return;
        }
        self.groups.unsubscribe(&number);
        let (count, asked) = (object.keys().len(), object.asked);
        let tolerated = if object.ready && !changed {
            self.now - (object.interval() / 10).min(HOLD_MILLISECONDS)
        } else {
            asked
        };
        let run = Run {
            started,
            left: count,
            failed: false,
            taken: Vec::with_capacity(count),
        };
        self.runs.insert(number, run);
        for at in 0..count {
            let key = self.fleet.objects[number as usize].keys()[at];
            self.read(key, asked.max(tolerated), Waiter::Object(number));
        }
    }

    fn finish(&mut self, started: &Started<u32>, next: Next) {
        let Started { job, claim } = started;
        let (ended, now) = ((&job.key, job.run, *claim), at(self.now));
        self.queue.finish(ended, next, now, fastrand::f64());
    }

    fn failed(&mut self, number: u32) {
        let Some(run) = self.runs.remove(&number) else {
            return;
        };
        let object = &mut self.fleet.objects[number as usize];
        let store = self.remote.keys[object.keys()[0] as usize].store;
        self.api_requests += u64::from(std::mem::take(&mut object.ready));
        let client = &mut self.clients[usize::from(store)];
        let next = if client.governor.is_open() {
            client.waiting.push(number);
            Next::FailedUntil(at(self.now + OUTAGE_WAIT))
        } else {
            Next::Failed
        };
        self.finish(&run.started, next);
    }

    pub(super) fn fetched(&mut self, number: u32) {
        let Some(run) = self.runs.get(&number) else {
            return;
        };
        if run.failed {
            return self.failed(number);
        }
        let object = &mut self.fleet.objects[number as usize];
        let version = |key: &u32| {
            let taken = run.taken.iter().find(|taken| taken.group == *key);
            taken.map_or(0, |taken| u32::try_from(taken.fingerprint).unwrap_or(0))
        };
        let mut seen = object.seen;
        for (place, key) in seen.iter_mut().zip(object.keys()) {
            *place = version(key);
        }
        let oldest = run.taken.iter().map(|taken| taken.read_at).min();
        let refreshed = oldest.map_or(self.now, Timestamp::as_millisecond);
        // The first sync is three writes; a change reads and writes the Secret and the status.
        let writes = match (object.noted(), seen == object.seen && object.ready) {
            (None, _) | (_, false) => 3,
            (_, true) => 0,
        };
        for (key, (old, new)) in object.keys().iter().zip(object.seen.iter().zip(&seen)) {
            if object.noted().is_some() && old != new {
                self.delay
                    .add(self.now - self.remote.keys[*key as usize].changed_at);
            }
        }
        object.seen = seen;
        self.api_requests += writes;
        let writing = WRITE * i64::try_from(writes).unwrap_or(0);
        self.later(
            writing,
            Event::Written {
                object: number,
                refreshed,
            },
        );
    }

    pub(super) fn written(&mut self, number: u32, refreshed: i64) {
        let Some(run) = self.runs.remove(&number) else {
            return;
        };
        let object = &mut self.fleet.objects[number as usize];
        if object.noted().is_none() {
            self.first_sync.add(self.now - object.asked);
        }
        object.ready = true;
        object.note(object.noted().unwrap_or(refreshed).max(refreshed));
        object.refreshed = refreshed;
        let interval = Duration::from_millis(u64::try_from(object.interval()).unwrap_or(1));
        let next = object.note_at(refreshed, fastrand::f64());
        let current = self
            .groups
            .subscribe(number, interval, run.taken, fastrand::f64());
        self.finish(&run.started, Next::At(at(next)));
        if !current {
            self.wake(vec![number], self.now);
        }
    }
}
