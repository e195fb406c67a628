//! Who gets one of the places for runs. Runs that wait for the same backend are of one class, and a
//! class gets another place only while it has fewer of them than are free: one backend that hangs
//! leaves half of the places to the others, and a second one a quarter. Jobs that have to wait for a
//! place are kept aside, fresh ones before due ones as in the schedule.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::schedule::{DUE_SHARE, Job, Lane};

/// The class of an object; `None` where it waits for nobody.
pub type ClassOf<K> = Arc<dyn Fn(&K) -> Option<u64> + Send + Sync>;

/// Places in use by class, and who waits for one.
pub(super) struct Places<K> {
    class_of: Option<ClassOf<K>>,
    used: BTreeMap<u64, usize>,
    aside: BTreeMap<u64, Aside<K>>,
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

    fn len(&self) -> usize {
        self.fresh.len() + self.due.len()
    }
}

/// A job that may run, and the class that has to be told of its end.
pub(super) struct Placed<K> {
    pub(super) job: Job<K>,
    pub(super) class: Option<u64>,
}

impl<K> Places<K> {
    /// Without classes everyone gets any place.
    pub(super) fn new(class_of: Option<ClassOf<K>>) -> Self {
        Self {
            class_of,
            used: BTreeMap::new(),
            aside: BTreeMap::new(),
        }
    }

    /// The next job from aside whose class may have one of the `free` places.
    pub(super) fn take(&mut self, free: usize, now: Timestamp) -> Option<Placed<K>> {
        let used = &self.used;
        let mut classes = self.aside.keys().copied();
        let class = classes.find(|class| has_room(used, *class, free))?;
        let waiting = self.aside.get_mut(&class)?;
        let (job, since) = waiting.pop()?;
        if waiting.len() == 0 {
            self.aside.remove(&class);
        }
        *self.used.entry(class).or_default() += 1;
        let more = Duration::try_from(now.duration_since(since)).unwrap_or_default();
        let waited = job.waited.saturating_add(more);
        Some(Placed {
            job: Job { waited, ..job },
            class: Some(class),
        })
    }

    /// Gives a job one of the `free` places, or puts it aside.
    pub(super) fn place(&mut self, job: Job<K>, free: usize, now: Timestamp) -> Option<Placed<K>> {
        let class = self.class_of.as_ref().and_then(|of| of(&job.key));
        if let Some(class) = class {
            if !has_room(&self.used, class, free) {
                let aside = self.aside.entry(class).or_insert_with(Aside::new);
                aside.push(job, now);
                return None;
            }
            *self.used.entry(class).or_default() += 1;
        }
        Some(Placed { job, class })
    }

    /// A run has ended.
    pub(super) fn ended(&mut self, class: Option<u64>) {
        let Some(class) = class else {
            return;
        };
        if let Some(used) = self.used.get_mut(&class) {
            *used -= 1;
            if *used == 0 {
                self.used.remove(&class);
            }
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

fn has_room(used: &BTreeMap<u64, usize>, class: u64, free: usize) -> bool {
    used.get(&class).copied().unwrap_or(0) < free
}
