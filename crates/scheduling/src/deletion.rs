//! Stops deletions when too much vanishes at once. Before anything of a store with ten users or more is
//! deleted, a sample of its other objects is looked at. Ten absent objects, and more than a fifth of
//! those looked at within the window, hold every deletion of the store until enough are back or
//! someone says that it is meant. Decides from its arguments; it reads and deletes nothing.

mod ledger;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;

use crate::moment::{floor, timestamp};
use ledger::{Ledger, Step};

#[cfg(test)]
mod spread;
#[cfg(test)]
mod tests;

/// Fewer absent objects never hold, and stores with fewer users are not looked at.
const LEAST: usize = 10;
/// One in so many absent objects is not too much.
const SHARE: usize = 5;

/// Whether an object's target may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Allowed,
    /// Look again then, or when a sample has ended.
    LookAgain(Timestamp),
    /// Look at so many other objects of the store, report them by [`Guard::sampled`] and
    /// [`Guard::sample_ended`], and look at this object again. Where there is nobody to look at,
    /// [`Guard::exhausted`] says so.
    Sample(usize),
    /// Too much vanished.
    Held,
}

/// What a look at an object of a sample gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Its remote secrets are there, or some of them.
    Present,
    /// All of its remote secrets are absent.
    Absent,
    /// It could not be told: the read failed.
    Unknown,
    /// It says nothing: it has no target, or reads nothing through the store.
    Void,
}

/// What is known of an object whose remote secrets are absent.
#[derive(Clone, Copy, Debug)]
pub struct Absence {
    /// Number of objects that read through the store.
    pub users: usize,
    /// How often the object is refreshed; zero where time does not refresh it.
    pub interval: Duration,
}

/// All ledgers; `S` names a store, `O` an object. A store has one only while something of it is absent.
#[derive(Debug)]
pub struct Guard<S, O> {
    ledgers: BTreeMap<S, Ledger<O>>,
}

impl<S, O> Default for Guard<S, O> {
    fn default() -> Self {
        Self {
            ledgers: BTreeMap::new(),
        }
    }
}

impl<S: Ord + Clone, O: Ord + Clone> Guard<S, O> {
    /// Notes that an object would lose data because its remote secrets are absent, and says what may be
    /// done.
    pub fn absent(&mut self, store: &S, object: &O, absence: Absence, now: Timestamp) -> Verdict {
        let now = floor(now);
        let ledger = self.ledgers.entry(store.clone()).or_default();
        match ledger.absent(object, absence, now) {
            Step::Go => Verdict::Allowed,
            Step::Wait(until) => Verdict::LookAgain(timestamp(until)),
            Step::Sample(number) => Verdict::Sample(number),
            Step::Hold => Verdict::Held,
        }
    }

    /// Notes that an object has its remote secrets. Returns whether deletions are no longer held
    /// thereby.
    pub fn present(&mut self, store: &S, object: &O, now: Timestamp) -> bool {
        let Some(ledger) = self.ledgers.get_mut(store) else {
            return false;
        };
        let released = ledger.present(object, floor(now));
        if ledger.is_over() {
            self.ledgers.remove(store);
        }
        released
    }

    /// Objects of a store that were looked at since the absence of this one is known, so that a sample
    /// takes others.
    pub fn seen_since(&self, store: &S, object: &O, now: Timestamp) -> BTreeSet<O> {
        let ledger = self.ledgers.get(store);
        ledger.map_or_else(BTreeSet::new, |ledger| {
            ledger.seen_since(object, floor(now))
        })
    }

    /// Notes what a look at an object of a sample gave.
    pub fn sampled(&mut self, store: &S, object: &O, sight: Sight, now: Timestamp) {
        if let Some(ledger) = self.ledgers.get_mut(store) {
            ledger.sampled(object, sight, floor(now));
        }
    }

    /// Notes that a sample has ended; returns the objects that waited for it.
    pub fn sample_ended(&mut self, store: &S) -> BTreeSet<O> {
        let ledger = self.ledgers.get_mut(store);
        ledger.map_or_else(BTreeSet::new, Ledger::sample_ended)
    }

    /// Notes that a store has no other objects that could be looked at.
    pub fn exhausted(&mut self, store: &S, now: Timestamp) {
        if let Some(ledger) = self.ledgers.get_mut(store) {
            ledger.exhausted(floor(now));
        }
    }

    /// Forgets an object that no longer exists.
    pub fn gone(&mut self, object: &O) {
        self.ledgers.retain(|_, ledger| {
            ledger.gone(object);
            !ledger.is_over()
        });
    }

    /// Forgets a store: someone said that it is meant, or the store is gone.
    pub fn forget(&mut self, store: &S) {
        self.ledgers.remove(store);
    }

    /// Whether no object is absent anywhere.
    pub fn is_empty(&self) -> bool {
        self.ledgers.is_empty()
    }

    /// Whether deletions of a store are held.
    pub fn is_held(&self, store: &S) -> bool {
        self.ledgers.get(store).is_some_and(Ledger::is_held)
    }

    /// Stores whose deletions are held, with the number of absent objects.
    pub fn held(&self) -> impl Iterator<Item = (&S, usize)> {
        let held = self.ledgers.iter().filter(|(_, ledger)| ledger.is_held());
        held.map(|(store, ledger)| (store, ledger.absent_objects()))
    }
}
