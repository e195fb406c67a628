//! Reads: who takes part in which, what the governors let through, and who is told.

use std::time::Duration;

use lockstep_scheduling::governor::{Admission, Call, Change, Ended, Ticket};
use lockstep_scheduling::groups::Taken;

use super::{Arrival, Day, Event, Flight, HOLD, Waiter, at};
use crate::remote::{SECOND, Says};

/// Tenants whose keys a store holds.
const TENANTS: u32 = 64;
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
        self.queue(key);
    }

    /// Puts the read of a key into its store's queue. Keys belong to tenants, one namespace each.
    fn queue(&mut self, key: u32) {
        let store = self.remote.keys[key as usize].store;
        let line = &mut self.lines[usize::from(store)];
        let call = Call {
            namespace: u64::from(key % TENANTS),
            key: u64::from(key),
        };
        let waiter = line.governor.wait(call);
        line.queue.insert(waiter, key);
        self.serve(store);
    }

    /// Sends what the store's governor lets through, and tells the others.
    pub(super) fn serve(&mut self, store: u16) {
        let decided = self.lines[usize::from(store)].governor.admit(at(self.now));
        for (waiter, admission) in decided {
            let line = &mut self.lines[usize::from(store)];
            let Some(key) = line.queue.remove(&waiter) else {
                continue;
            };
            match admission {
                Admission::Go(ticket) => self.send(store, key, ticket),
                Admission::Open(until) => {
                    line.probe = Some(key);
                    self.refuse(key, until.as_millisecond());
                }
                Admission::Throttled(until) | Admission::Failing(until) => {
                    self.refuse(key, until.as_millisecond());
                }
            }
        }
        let line = &mut self.lines[usize::from(store)];
        let waits = !line.queue.is_empty() || line.governor.is_open();
        if waits && !std::mem::replace(&mut line.turn, true) {
            self.later(SECOND, Event::Turn { store });
        }
    }

    /// Probes a store whose breaker is open, and looks after calls that wait for the end of a pause.
    pub(super) fn turn(&mut self, store: u16) {
        let line = &self.lines[usize::from(store)];
        let due = line.governor.next_probe();
        let due = due.is_some_and(|due| due <= at(self.now));
        match line.probe.filter(|_| due) {
            Some(key) => self.read(key, self.now, Waiter::Group),
            None => self.serve(store),
        }
    }

    /// Tells everyone who waits for a key that the store cannot be used now.
    fn refuse(&mut self, key: u32, until: i64) {
        let Some(flight) = self.flights[key as usize].take() else {
            return;
        };
        for waiter in flight.waiters {
            self.answer(key, waiter, Err(until));
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
            ticket: (ticket.call.namespace, ticket.call.key, ticket.probe),
        };
        self.later(delay, Event::Arrived(arrival));
    }

    pub(super) fn arrived(&mut self, arrival: &Arrival) {
        let Arrival {
            key,
            version,
            says,
            began,
            ticket: (namespace, hash, probe),
        } = *arrival;
        let store = self.remote.keys[key as usize].store;
        let ended = match says {
            Says::Answer => Ended::Answered,
            Says::Throttled => Ended::Throttled(Some(Duration::from_secs(1))),
            Says::Nothing => Ended::Failed,
        };
        let call = Call {
            namespace,
            key: hash,
        };
        let governor = &mut self.lines[usize::from(store)].governor;
        match governor.done(Ticket { call, probe }, ended, at(self.now)) {
            Change::Closed => self.recovered(store),
            Change::Suspected => self.confirm(store),
            Change::Opened | Change::None => {}
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

    /// Reads the witnesses of a store that is suspected to be down.
    fn confirm(&mut self, store: u16) {
        for witness in self.lines[usize::from(store)].governor.witnesses() {
            let key = u32::try_from(witness.key).unwrap_or(0);
            self.read(key, self.now, Waiter::Group);
        }
        self.lines[usize::from(store)].governor.confirmed();
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
