//! One simulated day, event by event. The scheduler, the groups and the governors are the
//! program's; what surrounds them here is as simple as can be: calls take fifty milliseconds,
//! writes five.

mod reading;
mod running;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use jiff::Timestamp;
use lockstep_scheduling::governor::{self, Governor};
use lockstep_scheduling::groups::{Groups, Taken};
use lockstep_scheduling::schedule::{self, Schedule};

use crate::fleet::{Fleet, part};
use crate::remote::{HOUR, MINUTE, Remote, SECOND, Says};
use crate::report::Spread;

const RUNS_AT_ONCE: usize = 32;
const READS_AT_ONCE: usize = 64;
const HOLD: i64 = 5 * SECOND;

/// What happens at a moment. Events of an earlier process are passed over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrived(Arrival),
    Written { object: u32, refreshed: i64 },
    Changes,
    Sample,
    Turn { store: u16 },
}

/// A call that ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    key: u32,
    version: Option<u32>,
    says: Says,
    began: i64,
    ticket: (u64, u64, bool),
}

/// Who waits for a read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiter {
    Group,
    Object(u32),
}

/// A read on its way or held.
struct Flight {
    began: Option<i64>,
    version: Option<u32>,
    waiters: Vec<Waiter>,
}

struct Run {
    slot: schedule::Run,
    left: usize,
    failed: Option<i64>,
    taken: Vec<Taken<u32>>,
}

#[derive(Default)]
struct Line {
    governor: Governor,
    /// Keys of the calls that wait for a slot.
    queue: BTreeMap<governor::Waiter, u32>,
    /// The key an open breaker is probed with.
    probe: Option<u32>,
    waiting: Vec<u32>,
    turn: bool,
}

pub(crate) struct Day {
    now: i64,
    process: u32,
    pub(crate) fleet: Fleet,
    pub(crate) remote: Remote,
    schedule: Schedule<u32>,
    groups: Groups<u32, u32>,
    lines: Vec<Line>,
    /// By remote key.
    flights: Vec<Option<Flight>>,
    runs: BTreeMap<u32, Run>,
    events: BinaryHeap<Reverse<(i64, u32, Event)>>,
    pub(crate) object_runs: u64,
    pub(crate) api_requests: u64,
    pub(crate) age: Spread,
    pub(crate) delay: Spread,
    pub(crate) first_sync: Spread,
    pub(crate) subscribed: usize,
}

fn at(now: i64) -> Timestamp {
    Timestamp::from_millisecond(now).unwrap_or(Timestamp::MAX)
}

impl Day {
    pub(crate) fn new(fleet: Fleet, remote: Remote) -> Self {
        let mut day = Self {
            now: 0,
            process: 0,
            fleet,
            remote,
            schedule: Schedule::default(),
            groups: Groups::default(),
            lines: Vec::new(),
            flights: Vec::new(),
            runs: BTreeMap::new(),
            events: BinaryHeap::new(),
            object_runs: 0,
            api_requests: 0,
            age: Spread::default(),
            delay: Spread::default(),
            first_sync: Spread::default(),
            subscribed: 0,
        };
        day.events.push(Reverse((0, 0, Event::Changes)));
        day.events.push(Reverse((MINUTE, 0, Event::Sample)));
        day
    }

    pub(crate) fn run(&mut self, hours: u32, restarts: u32) {
        let end = i64::from(hours) * HOUR;
        let spell = end / i64::from(restarts + 1);
        for turn in 0..=restarts {
            self.start();
            self.until(if turn == restarts {
                end
            } else {
                spell * i64::from(turn + 1)
            });
        }
        self.subscribed = self.groups.stats().objects;
    }

    /// A process starts: only statuses are known.
    fn start(&mut self) {
        self.process += 1;
        (self.schedule, self.groups) = (Schedule::default(), Groups::default());
        self.runs = BTreeMap::new();
        self.flights = self.remote.keys.iter().map(|_| None).collect();
        self.lines = self.remote.stores.iter().map(|_| Line::default()).collect();
        for (number, object) in (0..).zip(&mut self.fleet.objects) {
            object.asked = self.now;
            object.failures = 0;
            match object.noted().filter(|_| object.ready) {
                None => {
                    self.schedule.fresh(number, at(self.now));
                }
                Some(noted) => {
                    let due = noted + object.interval();
                    let slot = part(object.interval().min(5 * MINUTE), fastrand::f64());
                    let due = if due <= self.now {
                        self.now + slot
                    } else {
                        due
                    };
                    self.schedule.due(number, at(due));
                }
            }
        }
    }

    fn until(&mut self, end: i64) {
        while self.now < end {
            self.work();
            let event = self.events.peek().map_or(end, |Reverse((at, _, _))| *at);
            let mut next = event.min(end);
            if self.runs.len() < RUNS_AT_ONCE {
                next = next.min(milliseconds(self.schedule.next_deadline(), end));
            }
            if self.groups.stats().reading < READS_AT_ONCE {
                next = next.min(milliseconds(self.groups.next_deadline(), end));
            }
            self.now = next.max(self.now);
            while self
                .events
                .peek()
                .is_some_and(|Reverse((at, _, _))| *at <= self.now)
                && let Some(Reverse((_, process, event))) = self.events.pop()
            {
                let lasting = matches!(event, Event::Changes | Event::Sample);
                if lasting || process == self.process {
                    self.happen(event);
                }
            }
        }
    }

    fn work(&mut self) {
        while self.runs.len() < RUNS_AT_ONCE
            && let Some(job) = self.schedule.pop(at(self.now))
        {
            self.run_object(&job);
        }
        while self.groups.stats().reading < READS_AT_ONCE
            && let Some((key, _)) = self.groups.pop(at(self.now))
        {
            self.read(*key, self.now, Waiter::Group);
        }
    }

    fn later(&mut self, delay: i64, event: Event) {
        let entry = (self.now + delay.max(1), self.process, event);
        self.events.push(Reverse(entry));
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Changes => {
                let next = self.remote.change(self.now);
                self.later(next - self.now, Event::Changes);
            }
            Event::Sample => {
                self.sample();
                self.later(MINUTE, Event::Sample);
            }
            Event::Turn { store } => {
                self.lines[usize::from(store)].turn = false;
                self.turn(store);
            }
            Event::Written { object, refreshed } => self.written(object, refreshed),
            Event::Arrived(arrival) => self.arrived(&arrival),
        }
    }

    /// Looks at a hundred objects: how old are they, measured by their interval?
    fn sample(&mut self) {
        for _ in 0..100 {
            let number = fastrand::usize(..self.fleet.objects.len());
            let object = &self.fleet.objects[number];
            let shared = self.groups.refreshed(&u32::try_from(number).unwrap_or(0));
            let refreshed = shared.map_or(object.refreshed, Timestamp::as_millisecond);
            if object.noted().is_some() {
                let age = (self.now - refreshed) * 1_000 / object.interval();
                self.age.add(age);
            }
        }
    }
}

fn milliseconds(moment: Option<Timestamp>, end: i64) -> i64 {
    moment.map_or(end, Timestamp::as_millisecond)
}
