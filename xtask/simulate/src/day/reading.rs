//! Reads: who takes part in which, what the governors let through, and who is told.

use std::time::Duration;

use lockstep_pace::governor::{Admission, Ended, Ticket};
use lockstep_pace::groups::Taken;

use super::{Arrival, Day, Event, Flight, HOLD, Waiter, at};
use crate::remote::{SECOND, Says};

const READ: i64 = 50;
const TIMEOUT: i64 = SECOND;
const OUTAGE_PATIENCE: Duration = Duration::from_secs(5);
const THROTTLE_PATIENCE: Duration = Duration::from_mins(1);

impl Day {
    /// Takes part in a read, or makes one.
    pub(super) fn read(&mut self, key: u32, asked: i64, waiter: Waiter) {
        if let Some(flight) = &mut self.flights[key as usize] {
            match (flight.began, flight.version) {
                (Some(began), Some(version)) if began >= asked && self.now - began <= HOLD => {
                    self.answer(key, waiter, Ok((version, began)));
                    return;
                }
                (None, None) => return flight.waiters.push(waiter),
                (Some(began), None) if began >= asked => return flight.waiters.push(waiter),
                _ => {}
            }
        }
        let old = self.flights[key as usize].take();
        let old = old.map(|flight| flight.waiters);
        let mut waiters = old.unwrap_or_default();
        waiters.push(waiter);
        let flight = Flight {
            began: None,
            version: None,
            waiters,
        };
        self.flights[key as usize] = Some(flight);
        let store = self.remote.keys[key as usize].store;
        self.lines[usize::from(store)].queue.push_back(key);
        self.serve(store);
    }

    /// Sends what the store's governor lets through.
    pub(super) fn serve(&mut self, store: u16) {
        let now = self.now;
        loop {
            let line = &mut self.lines[usize::from(store)];
            let Some(key) = line.queue.front().copied() else {
                return;
            };
            match line.governor.admit(at(now)) {
                Admission::Go(ticket) => {
                    line.queue.pop_front();
                    self.send(store, key, ticket);
                }
                Admission::Busy => return,
                Admission::Throttled(until) | Admission::Open(until) => {
                    let open = line.governor.is_open();
                    let wait = until.as_millisecond() - now;
                    if !std::mem::replace(&mut line.turn, true) {
                        self.later(wait, Event::Turn { store });
                    }
                    if open || wait > 2 * SECOND {
                        self.refuse(store, until.as_millisecond());
                    }
                    return;
                }
            }
        }
    }

    /// Tells everyone but one that the store cannot be used now; that one becomes the probe.
    pub(super) fn refuse(&mut self, store: u16, until: i64) {
        while self.lines[usize::from(store)].queue.len() > 1 {
            let key = self.lines[usize::from(store)].queue.pop_back();
            let flight = key.and_then(|key| Some((key, self.flights[key as usize].take()?)));
            let Some((key, flight)) = flight else {
                continue;
            };
            for waiter in flight.waiters {
                self.answer(key, waiter, Err(until));
            }
        }
    }

    pub(super) fn send(&mut self, store: u16, key: u32, ticket: Ticket) {
        let says = self.remote.stores[usize::from(store)].call(self.now);
        let version = self.remote.keys[key as usize].version;
        if let Some(flight) = &mut self.flights[key as usize] {
            flight.began = Some(self.now);
        }
        let (delay, version) = match says {
            Says::Answer => (READ, Some(version)),
            Says::Throttled => (READ / 5, None),
            Says::Nothing => (TIMEOUT, None),
        };
        let arrival = Arrival {
            key,
            version,
            says,
            began: self.now,
            probe: ticket.probe,
        };
        self.later(delay, Event::Arrived(arrival));
    }

    pub(super) fn arrived(&mut self, arrival: &Arrival) {
        let Arrival {
            key,
            version,
            says,
            began,
            probe,
        } = *arrival;
        let store = self.remote.keys[key as usize].store;
        let ended = match says {
            Says::Answer => Ended::Answered,
            Says::Throttled => Ended::Throttled(Some(Duration::from_secs(1))),
            Says::Nothing => Ended::Unreachable,
        };
        let line = &mut self.lines[usize::from(store)];
        if line.governor.done(Ticket { probe }, ended, at(self.now)) {
            self.recovered(store);
        }
        let flight = self.flights[key as usize].as_mut();
        let waiters = match flight.filter(|one| one.began == Some(began)) {
            None => Vec::new(),
            Some(flight) => {
                flight.version = version;
                std::mem::take(&mut flight.waiters)
            }
        };
        if let Some(version) = version {
            let woken = self
                .groups
                .read(&key, version.into(), at(began), fastrand::f64());
            self.wake(woken, began);
        } else {
            self.flights[key as usize] = None;
        }
        let retry = self.now + SECOND;
        for waiter in waiters {
            self.answer(
                key,
                waiter,
                version.map(|version| (version, began)).ok_or(retry),
            );
        }
        self.serve(store);
    }

    pub(super) fn wake(&mut self, woken: Vec<u32>, asked: i64) {
        for number in woken {
            let object = &mut self.fleet.objects[number as usize];
            object.asked = object.asked.max(asked);
            object.input_changed = true;
            self.schedule.fresh(number, at(self.now));
        }
    }

    /// Objects that waited run within five seconds.
    pub(super) fn recovered(&mut self, store: u16) {
        let waiting = std::mem::take(&mut self.lines[usize::from(store)].waiting);
        let step = (5 * SECOND / i64::try_from(waiting.len()).unwrap_or(1).max(1)).min(5);
        for (place, number) in (0..).zip(waiting) {
            self.fleet.objects[number as usize].asked = self.now;
            self.schedule.due(number, at(self.now + place * step));
        }
    }

    pub(super) fn answer(&mut self, key: u32, waiter: Waiter, answer: Result<(u32, i64), i64>) {
        let number = match (waiter, answer) {
            (Waiter::Group, Ok(_)) => return,
            (Waiter::Group, Err(retry)) => {
                let store = self.remote.keys[key as usize].store;
                let open = self.lines[usize::from(store)].governor.is_open();
                let patience = if open {
                    OUTAGE_PATIENCE
                } else {
                    THROTTLE_PATIENCE
                };
                let (retry, now) = (retry.min(self.now + 30 * SECOND), at(self.now));
                let told = self.groups.failed(&key, patience, at(retry), now);
                return self.wake(told, self.now);
            }
            (Waiter::Object(number), _) => number,
        };
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        run.left -= 1;
        match answer {
            Ok((version, began)) => run.taken.push(Taken {
                group: key,
                fingerprint: version.into(),
                read_at: at(began),
            }),
            Err(retry) => run.failed = Some(retry),
        }
        if run.left == 0 {
            self.fetched(number);
        }
    }
}
