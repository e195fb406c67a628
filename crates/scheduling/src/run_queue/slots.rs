//! Gives jobs one of a bounded number of slots. A job that gets none is parked: parked namespaces are
//! served round robin, within a namespace the store that waits longest goes first, and within a class
//! fresh jobs go before due ones as in the schedule. [`Slots`] decides whether a class may take a slot.
//! Jobs that write the same target run one after the other, in the order they came.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;

use super::Started;
use crate::schedule::{DUE_SHARE, Job, Lane};
use crate::slots::{Claim, Class, Slots};

/// Slots in use, and the jobs that wait for one.
#[derive(Debug)]
pub(super) struct RunSlots<K> {
    used: Slots,
    parked: BTreeMap<Class, ParkedJobs<K>>,
    /// Namespaces with parked jobs, in the order they are served.
    round: VecDeque<u64>,
    /// Targets of the jobs that run or are parked, with the jobs that wait for each.
    targets: BTreeMap<u64, VecDeque<(Class, Parked<K>)>>,
}

/// A job that waits.
#[derive(Debug)]
struct Parked<K> {
    job: Job<K>,
    target: Option<u64>,
    since: Timestamp,
}

impl<K> Parked<K> {
    /// How long the job has been ready to run.
    fn waited(&self, now: Timestamp) -> Duration {
        let parked = Duration::try_from(now.duration_since(self.since)).unwrap_or_default();
        self.job.waited.saturating_add(parked)
    }
}

/// Parked jobs of one class.
#[derive(Debug)]
struct ParkedJobs<K> {
    fresh: VecDeque<Parked<K>>,
    due: VecDeque<Parked<K>>,
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
    fn push(&mut self, parked: Parked<K>) {
        match parked.job.lane {
            Lane::Fresh => self.fresh.push_back(parked),
            Lane::Due => self.due.push_back(parked),
        }
    }

    fn pop(&mut self) -> Option<Parked<K>> {
        let owed = self.fresh_in_a_row >= DUE_SHARE - 1;
        if self.fresh.is_empty() || owed && !self.due.is_empty() {
            self.fresh_in_a_row = 0;
            return self.due.pop_front();
        }
        self.fresh_in_a_row += 1;
        self.fresh.pop_front()
    }

    fn fronts(&self) -> impl Iterator<Item = &Parked<K>> {
        [self.fresh.front(), self.due.front()].into_iter().flatten()
    }

    /// When the job that waits longest was parked.
    fn since(&self) -> Timestamp {
        let since = self.fronts().map(|parked| parked.since);
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
            targets: BTreeMap::new(),
        }
    }
}

impl<K> RunSlots<K> {
    /// Starts the next parked job whose class may take one of the `free` slots.
    pub(super) fn start_parked(&mut self, free: usize, now: Timestamp) -> Option<Started<K>> {
        let next = |namespace: &u64| self.longest_waiting(*namespace, free);
        let class = self.round.iter().find_map(next)?;
        let waiting = self.parked.get_mut(&class)?;
        let next = waiting.pop()?;
        if waiting.len() == 0 {
            self.parked.remove(&class);
        }
        self.move_to_back(class.namespace);
        self.used.take(class);
        let waited = next.waited(now);
        let Parked { job, target, .. } = next;
        Some(Started {
            job: Job { waited, ..job },
            claim: Some(Claim { class, target }),
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

    /// Gives a job one of the `free` slots, or parks it. A job without a claim takes any slot.
    pub(super) fn start(
        &mut self,
        job: Job<K>,
        claim: Option<Claim>,
        free: usize,
        since: Timestamp,
    ) -> Option<Started<K>> {
        let Some(Claim { class, target }) = claim else {
            return Some(Started { job, claim });
        };
        if let Some(target) = target {
            match self.targets.entry(target) {
                Entry::Vacant(free) => {
                    free.insert(VecDeque::new());
                }
                Entry::Occupied(mut taken) => {
                    let target = Some(target);
                    taken
                        .get_mut()
                        .push_back((class, Parked { job, target, since }));
                    return None;
                }
            }
        }
        if !self.used.has_room(class, free) {
            self.park(class, Parked { job, target, since });
            return None;
        }
        self.used.take(class);
        Some(Started { job, claim })
    }

    fn park(&mut self, class: Class, parked: Parked<K>) {
        if self.of_namespace(class.namespace).next().is_none() {
            self.round.push_back(class.namespace);
        }
        self.parked.entry(class).or_default().push(parked);
    }

    /// Gives the slot of a job back, and its target to the job that waits for it first.
    pub(super) fn give_back(&mut self, claim: Option<Claim>) {
        let Some(Claim { class, target }) = claim else {
            return;
        };
        self.used.give_back(class);
        let Some(target) = target else {
            return;
        };
        match self.targets.get_mut(&target).and_then(VecDeque::pop_front) {
            Some((class, next)) => self.park(class, next),
            None => {
                self.targets.remove(&target);
            }
        }
    }

    /// Number of parked jobs.
    pub(super) fn parked(&self) -> usize {
        let slots: usize = self.parked.values().map(ParkedJobs::len).sum();
        let targets: usize = self.targets.values().map(VecDeque::len).sum();
        slots + targets
    }

    /// How long the parked job that waits longest has been ready to run.
    pub(super) fn oldest(&self, now: Timestamp) -> Duration {
        let slots = self.parked.values().flat_map(ParkedJobs::fronts);
        let targets = self.targets.values().filter_map(VecDeque::front);
        let fronts = slots.chain(targets.map(|(_, parked)| parked));
        let waited = fronts.map(|parked| parked.waited(now));
        waited.max().unwrap_or_default()
    }
}
