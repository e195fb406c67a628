//! Reads: who joins which, what the governors let through, and who is notified.

use std::rc::Rc;
use std::time::Duration;

use lockstep_scheduling::governor::{Admission, Call, Change, Ended, Ticket};
use lockstep_scheduling::groups::Taken;
use lockstep_scheduling::limits::{OUTAGE_PATIENCE, READ_RETRY, THROTTLE_PATIENCE};
use lockstep_scheduling::single_flight::ReadId;

use super::{Answer, Arrival, Day, Event, ReadHandle, TENANTS, Waiter, at};
use crate::remote::{SECOND, Says};

const READ: i64 = 50;
const TIMEOUT: i64 = SECOND;

impl Day {
    /// Joins a read, or makes one.
    pub(super) fn read(&mut self, key: u32, asked: i64, waiter: Waiter) {
        // Every simulated read gets an answer, so each is awaited until then.
        self.reads.sweep_if_due(at(self.now), |_| true);
        let joined = self.reads.join(&key, at(asked), |_| ReadHandle::default());
        if let Some(answer) = joined.read.get() {
            self.reads.taken(&key, joined.id);
            return self.answer(key, waiter, answer);
        }
        self.waiters.entry(joined.id).or_default().push(waiter);
        if joined.is_new {
            self.queue_read(key, joined.id);
        }
    }

    /// Puts a read into the queue of its store.
    fn queue_read(&mut self, key: u32, id: ReadId) {
        let store = self.remote.keys[key as usize].store;
        let client = &mut self.clients[usize::from(store)];
        let call = Call {
            namespace: u64::from(key % TENANTS),
            key: u64::from(key),
        };
        let waiter = client.governor.wait(call);
        client.queue.insert(waiter, (key, id));
        self.serve(store);
    }

    /// Sends the calls that the governor of a store lets through, and refuses others.
    pub(super) fn serve(&mut self, store: u16) {
        let governor = &mut self.clients[usize::from(store)].governor;
        for (waiter, admission) in governor.admit(at(self.now)) {
            let client = &mut self.clients[usize::from(store)];
            let Some((key, id)) = client.queue.remove(&waiter) else {
                continue;
            };
            let (throttled, retry) = match admission {
                Admission::Go(ticket) => {
                    self.send(store, (key, id), ticket);
                    continue;
                }
                Admission::Open(_) => {
                    client.probes.offer(key.into(), key);
                    (false, self.now)
                }
                Admission::Failing(_) => (false, self.now),
                Admission::Throttled(until) => (true, until.as_millisecond()),
            };
            self.reads.started(&key, id, at(self.now));
            self.ended((key, id), Answer::Failed { throttled, retry });
        }
        self.plan_recheck(store);
    }

    fn send(&mut self, store: u16, (key, id): (u32, ReadId), ticket: Ticket) {
        let says = self.remote.stores[usize::from(store)].call(self.now);
        let version = self.remote.keys[key as usize].version;
        self.reads.started(&key, id, at(self.now));
        let (delay, version) = match says {
            Says::Answer => (READ, Some(version)),
            Says::Throttled => (READ / 5, None),
            Says::Nothing => (TIMEOUT, None),
        };
        let arrival = Arrival {
            key,
            id,
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
            id,
            version,
            says,
            began,
            ticket,
        } = *arrival;
        let store = self.remote.keys[key as usize].store;
        self.call_ended(store, key, says, ticket);
        let answer = match version {
            Some(version) => Answer::Version { version, began },
            None => Answer::Failed {
                throttled: says == Says::Throttled,
                retry: self.now + SECOND,
            },
        };
        self.ended((key, id), answer);
        self.serve(store);
    }

    /// Tells the governor of a store how a call ended.
    fn call_ended(&mut self, store: u16, key: u32, says: Says, ticket: (u64, u64, bool)) {
        let ended = match says {
            Says::Answer => Ended::Answered,
            Says::Throttled => Ended::Throttled(Some(Duration::from_secs(1))),
            Says::Nothing => Ended::Failed,
        };
        let (namespace, hash, probe) = ticket;
        let call = Call {
            namespace,
            key: hash,
        };
        let client = &mut self.clients[usize::from(store)];
        let change = client
            .governor
            .done(Ticket { call, probe }, ended, at(self.now));
        if ended == Ended::Failed && client.governor.is_open() {
            client.probes.offer(key.into(), key);
        }
        match change {
            Change::Closed => self.recovered(store),
            Change::ConfirmOutage => self.confirm(store),
            Change::Opened | Change::None => {}
        }
    }

    /// Holds the answer to a read and hands it to everyone who waits.
    fn ended(&mut self, (key, id): (u32, ReadId), answer: Answer) {
        let mut expected = 0;
        if let Answer::Version { version, began } = answer {
            let fingerprint = u64::from(version);
            let chance = fastrand::f64();
            let woken = self.groups.read(&key, fingerprint, at(began), chance);
            expected = woken.len();
            self.wake(woken, began);
        }
        if let Some(handle) = self.reads.handle(&key, id) {
            Rc::clone(handle).set(Some(answer));
        }
        self.reads.answered(&key, id, expected);
        for waiter in self.waiters.remove(&id).unwrap_or_default() {
            self.reads.taken(&key, id);
            self.answer(key, waiter, answer);
        }
    }

    pub(super) fn wake(&mut self, woken: Vec<u32>, asked: i64) {
        for number in woken {
            let object = &mut self.fleet.objects[number as usize];
            object.asked = object.asked.max(asked);
            object.input_changed = true;
            self.queue.fresh(number, at(self.now));
        }
    }

    fn answer(&mut self, key: u32, waiter: Waiter, answer: Answer) {
        match waiter {
            Waiter::Object(number) => self.object_answer(key, number, answer),
            Waiter::Probe(store) => self.probed(store),
            Waiter::Group(class) => {
                self.read_slots.give_back(class);
                self.shared_reads -= 1;
                if let Answer::Failed { throttled, retry } = answer {
                    self.group_failed(key, throttled, retry);
                }
            }
        }
    }

    fn group_failed(&mut self, key: u32, throttled: bool, retry: i64) {
        let patience = if throttled {
            THROTTLE_PATIENCE
        } else {
            OUTAGE_PATIENCE
        };
        let now = at(self.now);
        let retry = at(retry).max(now + READ_RETRY);
        let told = self.groups.failed(&key, patience, retry, now);
        self.wake(told, self.now);
    }

    fn object_answer(&mut self, key: u32, number: u32, answer: Answer) {
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        run.left -= 1;
        match answer {
            Answer::Version { version, began } => run.taken.push(Taken {
                group: key,
                fingerprint: version.into(),
                read_at: at(began),
            }),
            Answer::Failed { .. } => run.failed = true,
        }
        if run.left == 0 {
            self.fetched(number);
        }
    }
}
