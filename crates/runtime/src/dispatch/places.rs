//! Who gets one of the slots for runs. Runs are of the class of their namespace and of the store they
//! wait for; `lockstep-scheduling` says whether a class may have another slot. Jobs that have to wait for one
//! are kept aside. Namespaces take turns there, within a namespace the store that waits longest goes
//! first, and within a class fresh jobs go before due ones as in the schedule.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_scheduling::slots::{Class, Slots};

use crate::schedule::{DUE_SHARE, Job, Lane};

/// The class of an object; `None` where it waits for nobody.
pub type ClassOf<K> = Arc<dyn Fn(&K) -> Option<Class> + Send + Sync>;

/// Slots in use, and who waits for one.
pub(super) struct Places<K> {
    class_of: Option<ClassOf<K>>,
    used: Slots,
    aside: BTreeMap<Class, Aside<K>>,
    /// Namespaces with jobs aside, in the order they are served.
    turns: VecDeque<u64>,
}

/// Jobs of one class that wait for a place, with when they began to.
struct Aside<K> {
    fresh: VecDeque<(Job<K>, Timestamp)>,
    due: VecDeque<(Job<K>, Timestamp)>,
    fresh_in_a_row: u32,
}

impl<K> Aside<K> {
    fn new() -> Self {
        Self {
            fresh: VecDeque::new(),
            due: VecDeque::new(),
            fresh_in_a_row: 0,
        }
    }

    fn push(&mut self, job: Job<K>, now: Timestamp) {
        match job.lane {
            Lane::Fresh => self.fresh.push_back((job, now)),
            Lane::Due => self.due.push_back((job, now)),
        }
    }

    fn pop(&mut self) -> Option<(Job<K>, Timestamp)> {
        let owed = self.fresh_in_a_row >= DUE_SHARE - 1;
        if self.fresh.is_empty() || owed && !self.due.is_empty() {
            self.fresh_in_a_row = 0;
            return self.due.pop_front();
        }
        self.fresh_in_a_row += 1;
        self.fresh.pop_front()
    }

    /// When the job that waits longest was put aside.
    fn since(&self) -> Timestamp {
        let fronts = [self.fresh.front(), self.due.front()];
        let since = fronts.into_iter().flatten().map(|(_, since)| *since);
        since.min().unwrap_or(Timestamp::MAX)
    }

    fn len(&self) -> usize {
        self.fresh.len() + self.due.len()
    }
}

/// A job that may run, and the class that has to be told of its end.
pub(super) struct Placed<K> {
    pub(super) job: Job<K>,
    pub(super) class: Option<Class>,
}

impl<K> Places<K> {
    /// Without classes everyone gets any slot.
    pub(super) fn new(class_of: Option<ClassOf<K>>) -> Self {
        Self {
            class_of,
            used: Slots::default(),
            aside: BTreeMap::new(),
            turns: VecDeque::new(),
        }
    }

    /// The next job from aside whose class may have one of the `free` slots.
    pub(super) fn take(&mut self, free: usize, now: Timestamp) -> Option<Placed<K>> {
        let next = |namespace: &u64| self.longest_waiting(*namespace, free);
        let class = self.turns.iter().find_map(next)?;
        let waiting = self.aside.get_mut(&class)?;
        let (job, since) = waiting.pop()?;
        if waiting.len() == 0 {
            self.aside.remove(&class);
        }
        self.end_turn(class.namespace);
        self.used.take(class);
        let more = Duration::try_from(now.duration_since(since)).unwrap_or_default();
        let waited = job.waited.saturating_add(more);
        Some(Placed {
            job: Job { waited, ..job },
            class: Some(class),
        })
    }

    /// The class of a namespace that may have a slot and whose first job waits longest.
    fn longest_waiting(&self, namespace: u64, free: usize) -> Option<Class> {
        let classes = self.of_namespace(namespace);
        let ready = classes.filter(|(class, _)| self.used.has_room(**class, free));
        let since = ready.map(|(class, aside)| (aside.since(), *class));
        since.min().map(|(_, class)| class)
    }

    fn of_namespace(&self, namespace: u64) -> impl Iterator<Item = (&Class, &Aside<K>)> {
        let of = |store| Class { namespace, store };
        self.aside.range(of(None)..=of(Some(u64::MAX)))
    }

    /// Puts a namespace behind the others, or takes it out when none of its jobs wait.
    fn end_turn(&mut self, namespace: u64) {
        self.turns.retain(|other| *other != namespace);
        if self.of_namespace(namespace).next().is_some() {
            self.turns.push_back(namespace);
        }
    }

    /// Gives a job one of the `free` slots, or puts it aside.
    pub(super) fn place(&mut self, job: Job<K>, free: usize, now: Timestamp) -> Option<Placed<K>> {
        let class = self.class_of.as_ref().and_then(|of| of(&job.key));
        if let Some(class) = class {
            if !self.used.has_room(class, free) {
                if self.of_namespace(class.namespace).next().is_none() {
                    self.turns.push_back(class.namespace);
                }
                let aside = self.aside.entry(class).or_insert_with(Aside::new);
                aside.push(job, now);
                return None;
            }
            self.used.take(class);
        }
        Some(Placed { job, class })
    }

    /// A run has ended.
    pub(super) fn ended(&mut self, class: Option<Class>) {
        if let Some(class) = class {
            self.used.give_back(class);
        }
    }

    /// How many wait for a place.
    pub(super) fn waiting(&self) -> usize {
        self.aside.values().map(Aside::len).sum()
    }

    /// How long the longest waiting one has been ready to run.
    pub(super) fn oldest(&self, now: Timestamp) -> Duration {
        let first = |aside: &Aside<K>| {
            let fronts = [aside.fresh.front(), aside.due.front()];
            let waited = fronts.into_iter().flatten().map(|(job, since)| {
                let more = Duration::try_from(now.duration_since(*since));
                job.waited.saturating_add(more.unwrap_or_default())
            });
            waited.max().unwrap_or_default()
        };
        self.aside.values().map(first).max().unwrap_or_default()
    }
}
