//! What was looked at in one store since something of it turned absent, and what follows from it. The
//! objects that report an absence are no fair sample of the store: they came because they are absent.
//! Therefore others are looked at, and they decide whether it is the store that lost its secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Absence, LEAST, SHARE, Sight};
use crate::moment::span;

/// Objects of the smallest and of the largest sample.
const SAMPLE: usize = 10;
const LARGEST_SAMPLE: usize = 50;
/// One in so many absent objects of a sample may be chance.
const RARE: usize = 20;
/// Looks at others count for an absence if they were made since it was first seen, and are no older
/// than this.
const STALE: Duration = Duration::from_mins(2);
/// A sample that has not ended by then is given up.
const SAMPLE_PATIENCE: Duration = Duration::from_mins(1);
/// Time to the next look where the others could not be read.
const UNKNOWN_PAUSE: Duration = Duration::from_mins(1);
/// Shortest time within which looks count together.
const SHORTEST_WINDOW: Duration = Duration::from_mins(10);

/// What follows from an absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Go,
    Wait(i64),
    Sample(usize),
    Hold,
}

/// One look at an object.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: i64,
    /// When its absence was first seen.
    since: i64,
    sight: Sight,
    /// Whether it was picked, and did not come by itself.
    picked: bool,
}

/// Looks at the objects of one store.
#[derive(Debug)]
pub(super) struct Ledger<O> {
    looks: BTreeMap<O, Look>,
    /// Their numbers.
    all: Tally,
    /// Time within which looks count together: it covers the longest interval of those that are absent.
    window: i64,
    /// When looks that are too old are dropped next.
    purge_at: i64,
    /// When the sample that is under way is given up.
    sample: Option<i64>,
    /// When there was last nobody left to look at.
    exhausted: i64,
    /// Who waits for the end of a sample.
    waiting: BTreeSet<O>,
    held: bool,
}

impl<O> Default for Ledger<O> {
    fn default() -> Self {
        Self {
            looks: BTreeMap::new(),
            all: Tally::default(),
            window: span(SHORTEST_WINDOW),
            purge_at: i64::MIN,
            sample: None,
            exhausted: i64::MIN,
            waiting: BTreeSet::new(),
            held: false,
        }
    }
}

/// Numbers of looks.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    absent: usize,
    known: usize,
}

impl Tally {
    fn add(&mut self, sight: Sight) {
        self.absent += usize::from(sight == Sight::Absent);
        self.known += usize::from(matches!(sight, Sight::Absent | Sight::Present));
    }

    fn take(&mut self, sight: Sight) {
        self.absent -= usize::from(sight == Sight::Absent);
        self.known -= usize::from(matches!(sight, Sight::Absent | Sight::Present));
    }

    /// Whether more than a fifth is absent.
    fn is_bad(self) -> bool {
        self.absent * SHARE > self.known
    }

    /// Whether that is too much.
    fn is_mass(self) -> bool {
        self.absent >= LEAST && self.is_bad()
    }

    /// Whether it takes a larger sample to tell: a few absent ones of ten may be a third of a store.
    fn is_suspicious(self) -> bool {
        self.is_bad() || self.known < LARGEST_SAMPLE && self.absent * RARE > self.known
    }

    /// The same with so many more that are absent.
    fn with_absent(self, more: usize) -> Self {
        Self {
            absent: self.absent + more,
            known: self.known + more,
        }
    }
}

impl<O: Ord + Clone> Ledger<O> {
    pub(super) fn absent(&mut self, object: &O, absence: Absence, now: i64) -> Step {
        // A refresh is late by up to a tenth of its interval.
        let interval = span(absence.interval);
        self.window = self.window.max(interval.saturating_add(interval / 10));
        let since = self.note(object, Sight::Absent, now);
        if self.held {
            return Step::Hold;
        }
        self.purge(now);
        let step = self.weigh(object, absence.users, since, now);
        match step {
            Step::Wait(_) | Step::Sample(_) => {
                self.waiting.insert(object.clone());
            }
            Step::Go | Step::Hold => {
                self.waiting.remove(object);
            }
        }
        match step {
            Step::Sample(_) => self.sample = Some(now.saturating_add(span(SAMPLE_PATIENCE))),
            Step::Hold => self.held = true,
            Step::Go | Step::Wait(_) => {}
        }
        step
    }

    fn weigh(&self, object: &O, users: usize, since: i64, now: i64) -> Step {
        if users < LEAST {
            return Step::Go;
        }
        if let Some(until) = self.sample
            && (0..=span(SAMPLE_PATIENCE)).contains(&(until - now))
        {
            return Step::Wait(until);
        }
        let from = counts_from(since, now);
        let (mut others, mut picked, mut unknown) = (Tally::default(), Tally::default(), 0);
        for (key, look) in &self.looks {
            if look.at < from || key == object {
                continue;
            }
            others.add(look.sight);
            unknown += usize::from(look.sight == Sight::Unknown);
            if look.picked {
                picked.add(look.sight);
            }
        }
        let exhausted = self.exhausted >= from;
        let mass = self.all.is_mass();
        // What cannot be told must not lead to a deletion.
        let doubt = unknown > 0 && self.all.with_absent(unknown).is_mass();
        let enough = others.known >= SAMPLE.min(users - 1);
        match () {
            () if mass && (exhausted || picked.known >= SAMPLE && picked.is_bad()) => Step::Hold,
            () if !exhausted && (!enough || mass || doubt || picked.is_suspicious()) => {
                let wanted = (self.all.absent * SHARE).saturating_sub(self.all.known);
                Step::Sample(wanted.clamp(SAMPLE, LARGEST_SAMPLE))
            }
            () if doubt => Step::Wait(now + span(UNKNOWN_PAUSE)),
            () => Step::Go,
        }
    }

    /// Notes a look of an object at itself; returns since when it is absent.
    fn note(&mut self, object: &O, sight: Sight, now: i64) -> i64 {
        let known = self.looks.get(object);
        let still = known.filter(|look| look.sight == sight && look.since <= now);
        let look = Look {
            at: now,
            since: still.map_or(now, |look| look.since),
            sight,
            // Who was picked stays a fair witness.
            picked: known.is_some_and(|look| look.picked),
        };
        self.all.add(sight);
        if let Some(before) = self.looks.insert(object.clone(), look) {
            self.all.take(before.sight);
        }
        look.since
    }

    pub(super) fn present(&mut self, object: &O, now: i64) -> bool {
        self.note(object, Sight::Present, now);
        self.waiting.remove(object);
        let released = self.release();
        self.purge(now);
        released
    }

    pub(super) fn sampled(&mut self, object: &O, sight: Sight, now: i64) {
        self.note(object, sight, now);
        if let Some(look) = self.looks.get_mut(object) {
            look.picked = true;
        }
    }

    pub(super) fn sample_ended(&mut self) -> BTreeSet<O> {
        self.sample = None;
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn exhausted(&mut self, now: i64) {
        (self.sample, self.exhausted) = (None, now);
    }

    pub(super) fn gone(&mut self, object: &O) {
        self.waiting.remove(object);
        if let Some(look) = self.looks.remove(object) {
            self.all.take(look.sight);
            self.release();
        }
    }

    /// Objects whose looks count for the absence of this one.
    pub(super) fn seen_since(&self, object: &O, now: i64) -> BTreeSet<O> {
        let since = self.looks.get(object).map_or(now, |look| look.since);
        let from = counts_from(since, now);
        let seen = self.looks.iter().filter(|(_, look)| look.at >= from);
        seen.map(|(object, _)| object.clone()).collect()
    }

    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    pub(super) fn absent_objects(&self) -> usize {
        self.all.absent
    }

    /// Whether nothing is absent any more, so that nothing need be remembered.
    pub(super) fn is_over(&self) -> bool {
        self.sample.is_none() && self.absent_objects() == 0
    }

    /// Ends a hold once what is absent is no longer too much.
    fn release(&mut self) -> bool {
        let released = self.held && !self.all.is_mass();
        self.held &= !released;
        released
    }

    /// Drops looks from before the window. What is held does not wear off with time.
    fn purge(&mut self, now: i64) {
        // Not at every call: there may be as many looks as the store has users.
        if self.held || now < self.purge_at && self.purge_at - now <= self.window {
            return;
        }
        self.purge_at = now.saturating_add(self.window / 8);
        let from = now.saturating_sub(self.window);
        // A look from the future is from before the clock was set back.
        let all = &mut self.all;
        self.looks.retain(|_, look| {
            let kept = (from..=now).contains(&look.at);
            if !kept {
                all.take(look.sight);
            }
            kept
        });
    }
}

/// From when on looks at others count for an absence that is known since then.
fn counts_from(since: i64, now: i64) -> i64 {
    since.max(now - span(STALE)).min(now)
}
