//! One simulated day, event by event. The queue, the single-flight reads, the groups, the governors and
//! all limits are the program's; only the world around them is simulated: calls take fifty
//! milliseconds, writes five.

mod probing;
mod reading;
mod running;

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use jiff::Timestamp;
use lockstep_scheduling::governor::{self, Governor};
use lockstep_scheduling::groups::{Groups, Taken};
use lockstep_scheduling::limits::{NO_SLOT_DELAY, RECONCILES_AT_ONCE, SHARED_READS_AT_ONCE};
use lockstep_scheduling::rotation::Rotation;
use lockstep_scheduling::run_queue::{RunQueue, Started};
use lockstep_scheduling::single_flight::{ReadId, SingleFlight};
use lockstep_scheduling::slots::{Claim, Class, Slots};

use crate::fleet::{Fleet, part};
use crate::remote::{HOUR, MINUTE, Remote, Says};
use crate::report::Spread;

/// Namespaces that the objects belong to.
const TENANTS: u32 = 64;

/// What happens at a moment. Events of an earlier process are passed over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrived(Arrival),
    Written { object: u32, refreshed: i64 },
    Changes,
    Sample,
    Recheck { store: u16 },
}

/// A call that ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    key: u32,
    id: ReadId,
    version: Option<u32>,
    says: Says,
    began: i64,
    ticket: (u64, u64, bool),
}

/// Who waits for a read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiter {
    /// A shared read, which holds a slot of this class.
    Group(Class),
    /// The reconcile of an object.
    Object(u32),
    /// The prober of a store.
    Probe(u16),
}

/// What comes of a read.
#[derive(Clone, Copy)]
enum Answer {
    Version { version: u32, began: i64 },
    Failed { throttled: bool, retry: i64 },
}

/// The answer to a shared read, once there is one.
type ReadHandle = Rc<Cell<Option<Answer>>>;

struct Run {
    started: Started<u32>,
    left: usize,
    failed: bool,
    taken: Vec<Taken<u32>>,
}

/// One store as the program sees it.
#[derive(Default)]
struct StoreClient {
    governor: Governor,
    /// Reads that wait for a slot.
    queue: BTreeMap<governor::Waiter, (u32, ReadId)>,
    /// Keys an open breaker is probed with.
    probes: Rotation<u32>,
    /// Reads under way to confirm an outage.
    confirming: usize,
    /// Objects that wait for the store to recover.
    waiting: Vec<u32>,
    recheck_planned: bool,
}

pub(crate) struct Day {
    now: i64,
    process: u32,
    pub(crate) fleet: Fleet,
    pub(crate) remote: Remote,
    queue: RunQueue<u32>,
    groups: Groups<u32, u32>,
    read_slots: Slots,
    /// Shared reads under way.
    shared_reads: usize,
    clients: Vec<StoreClient>,
    reads: SingleFlight<u32, ReadHandle>,
    waiters: BTreeMap<ReadId, Vec<Waiter>>,
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
            queue: RunQueue::default(),
            groups: Groups::default(),
            read_slots: Slots::default(),
            shared_reads: 0,
            clients: Vec::new(),
            reads: SingleFlight::default(),
            waiters: BTreeMap::new(),
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
        (self.queue, self.groups) = (RunQueue::default(), Groups::default());
        (self.read_slots, self.shared_reads) = (Slots::default(), 0);
        (self.reads, self.waiters) = (SingleFlight::default(), BTreeMap::new());
        self.runs = BTreeMap::new();
        let stores = self.remote.stores.iter();
        self.clients = stores.map(|_| StoreClient::default()).collect();
        for (number, object) in (0..).zip(&mut self.fleet.objects) {
            object.asked = self.now;
            match object.noted().filter(|_| object.ready) {
                None => {
                    self.queue.fresh(number, at(self.now));
                }
                Some(noted) => {
                    let due = noted + object.interval();
                    let slot = part(object.interval().min(5 * MINUTE), fastrand::f64());
                    let due = if due <= self.now {
                        self.now + slot
                    } else {
                        due
                    };
                    self.queue.due(number, at(due));
                }
            }
        }
    }

    fn until(&mut self, end: i64) {
        while self.now < end {
            self.work();
            let event = self.events.peek().map_or(end, |Reverse((at, _, _))| *at);
            let mut next = event.min(end);
            if self.runs.len() < RECONCILES_AT_ONCE {
                next = next.min(milliseconds(self.queue.next_deadline(), end));
            }
            if self.shared_reads < SHARED_READS_AT_ONCE {
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
        while self.runs.len() < RECONCILES_AT_ONCE
            && let Some(started) = self.next_run(RECONCILES_AT_ONCE - self.runs.len())
        {
            self.run_object(started);
        }
        while self.shared_reads < SHARED_READS_AT_ONCE
            && let Some((key, _)) = self.groups.pop(at(self.now))
        {
            let class = self.class(*key);
            let free = SHARED_READS_AT_ONCE - self.shared_reads;
            if self.read_slots.has_room(class, free) {
                self.read_slots.take(class);
                self.shared_reads += 1;
                self.read(*key, self.now, Waiter::Group(class));
            } else {
                let until = at(self.now) + NO_SLOT_DELAY;
                self.groups.postpone(&key, until);
            }
        }
    }

    fn next_run(&mut self, free: usize) -> Option<Started<u32>> {
        let now = at(self.now);
        if let Some(parked) = self.queue.start_parked(free, now) {
            return Some(parked);
        }
        loop {
            let job = self.queue.pop(now)?;
            let first = self.fleet.objects[job.key as usize].keys()[0];
            let claim = Claim {
                class: self.class(first),
                target: None,
            };
            if let Some(started) = self.queue.start(job, Some(claim), free, now) {
                return Some(started);
            }
        }
    }

    /// The class of whoever reads a key: keys belong to tenants, one namespace each.
    fn class(&self, key: u32) -> Class {
        Class {
            namespace: u64::from(key % TENANTS),
            store: Some(self.remote.keys[key as usize].store.into()),
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
            Event::Recheck { store } => {
                self.clients[usize::from(store)].recheck_planned = false;
                self.recheck(store);
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
