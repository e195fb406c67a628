//! Gives jobs one of a bounded number of slots. A job that gets none is parked: parked namespaces are
//! served round robin, within a namespace the store that waits longest goes first, and within a class
//! fresh jobs go before due ones as in the schedule. [`Slots`] decides whether a class may take a slot.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;

use super::Started;
use crate::schedule::{DUE_SHARE, Job, Lane};
use crate::slots::{Class, Slots};

/// Slots in use, and the jobs that wait for one.
#[derive(Debug)]
pub(super) struct RunSlots<K> {
    used: Slots,
    parked: BTreeMap<Class, ParkedJobs<K>>,
    /// Namespaces with parked jobs, in the order they are served.
    round: VecDeque<u64>,
}

/// Parked jobs of one class, with the time each was parked.
#[derive(Debug)]
struct ParkedJobs<K> {
    fresh: VecDeque<(Job<K>, Timestamp)>,
    due: VecDeque<(Job<K>, Timestamp)>,
    fresh_in_a_row: u32,
}

impl<K> Default for ParkedJobs<K> {
    fn default() -> Self {
        Self {
            fresh: VecDeque::new(),
            due: VecDeque::new(),
            fresh_in_a_row: 0,
        }
    }
}

impl<K> ParkedJobs<K> {
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

    fn fronts(&self) -> impl Iterator<Item = &(Job<K>, Timestamp)> {
        [self.fresh.front(), self.due.front()].into_iter().flatten()
    }

    /// When the job that waits longest was parked.
    fn since(&self) -> Timestamp {
        let since = self.fronts().map(|(_, since)| *since);
        since.min().unwrap_or(Timestamp::MAX)
    }

    fn len(&self) -> usize {
        self.fresh.len() + self.due.len()
    }
}

impl<K> Default for RunSlots<K> {
    fn default() -> Self {
        Self {
            used: Slots::default(),
            parked: BTreeMap::new(),
            round: VecDeque::new(),
        }
    }
}

impl<K> RunSlots<K> {
    /// Starts the next parked job whose class may take one of the `free` slots.
    pub(super) fn start_parked(&mut self, free: usize, now: Timestamp) -> Option<Started<K>> {
        let next = |namespace: &u64| self.longest_waiting(*namespace, free);
        let class = self.round.iter().find_map(next)?;
        let waiting = self.parked.get_mut(&class)?;
        let (job, since) = waiting.pop()?;
        if waiting.len() == 0 {
            self.parked.remove(&class);
        }
        self.move_to_back(class.namespace);
        self.used.take(class);
        let waited = waited(&job, since, now);
        Some(Started {
            job: Job { waited, ..job },
            class: Some(class),
        })
    }

    /// Returns the class of a namespace that may take a slot and whose first job waits longest.
    fn longest_waiting(&self, namespace: u64, free: usize) -> Option<Class> {
        let classes = self.of_namespace(namespace);
        let ready = classes.filter(|(class, _)| self.used.has_room(**class, free));
        let since = ready.map(|(class, parked)| (parked.since(), *class));
        since.min().map(|(_, class)| class)
    }

    fn of_namespace(&self, namespace: u64) -> impl Iterator<Item = (&Class, &ParkedJobs<K>)> {
        let of = |store| Class { namespace, store };
        self.parked.range(of(None)..=of(Some(u64::MAX)))
    }

    /// Moves a namespace to the end of the round, or out of it when it has no parked job.
    fn move_to_back(&mut self, namespace: u64) {
        self.round.retain(|other| *other != namespace);
        if self.of_namespace(namespace).next().is_some() {
            self.round.push_back(namespace);
        }
    }

    /// Gives a job one of the `free` slots, or parks it. A job without a class takes any slot.
    pub(super) fn start(
        &mut self,
        job: Job<K>,
        class: Option<Class>,
        free: usize,
        now: Timestamp,
    ) -> Option<Started<K>> {
        if let Some(class) = class {
            if !self.used.has_room(class, free) {
                if self.of_namespace(class.namespace).next().is_none() {
                    self.round.push_back(class.namespace);
                }
                self.parked.entry(class).or_default().push(job, now);
                return None;
            }
            self.used.take(class);
        }
        Some(Started { job, class })
    }

    /// Gives the slot of a job back.
    pub(super) fn give_back(&mut self, class: Option<Class>) {
        if let Some(class) = class {
            self.used.give_back(class);
        }
    }

    /// Number of parked jobs.
    pub(super) fn parked(&self) -> usize {
        self.parked.values().map(ParkedJobs::len).sum()
    }

    /// How long the parked job that waits longest has been ready to run.
    pub(super) fn oldest(&self, now: Timestamp) -> Duration {
        let fronts = self.parked.values().flat_map(ParkedJobs::fronts);
        let waited = fronts.map(|(job, since)| waited(job, *since, now));
        waited.max().unwrap_or_default()
    }
}

/// How long a job parked at `since` has been ready to run.
fn waited<K>(job: &Job<K>, since: Timestamp, now: Timestamp) -> Duration {
    let parked = Duration::try_from(now.duration_since(since)).unwrap_or_default();
    job.waited.saturating_add(parked)
}
