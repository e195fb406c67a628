//! Stops deletions when too much vanishes at once. Each store has a ledger of the objects whose
//! remote secrets turned absent; ten of them and more than a fifth of the store's objects within ten
//! minutes hold every deletion until they are back or someone says that it is meant. In stores large
//! enough for that, a deletion also waits for a second look, or the first ones would be gone before
//! the rest is seen.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::moment::{floor, span, timestamp};

#[cfg(test)]
mod tests;

/// Fewer absent objects never hold.
const LEAST: usize = 10;
/// One in so many absent objects of a store is not too much.
const SHARE: usize = 5;
/// Time within which absences count together.
const WINDOW: Duration = Duration::from_mins(10);
/// Time between the first look and a deletion.
const SECOND_LOOK: Duration = Duration::from_secs(10);

/// Whether an object's target may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Allowed,
    /// Look again then.
    LookAgain(Timestamp),
    /// Too much vanished.
    Held,
}

/// All ledgers; `S` names a store, `O` an object.
#[derive(Debug)]
pub struct Guard<S, O> {
    ledgers: BTreeMap<S, Ledger<O>>,
}

#[derive(Debug)]
struct Ledger<O> {
    /// When each object was first seen without its remote secrets.
    absent: BTreeMap<O, i64>,
    held: bool,
}

impl<S, O> Default for Guard<S, O> {
    fn default() -> Self {
        Self {
            ledgers: BTreeMap::new(),
        }
    }
}

impl<S: Ord + Clone, O: Ord + Clone> Guard<S, O> {
    /// Notes that an object's remote secrets are absent and says what may be done. `users` is the
    /// number of objects that read through the store.
    pub fn absent(&mut self, store: &S, object: &O, users: usize, now: Timestamp) -> Verdict {
        let now = floor(now);
        let ledger = self.ledgers.entry(store.clone()).or_insert_with(|| Ledger {
            absent: BTreeMap::new(),
            held: false,
        });
        let since = *ledger.absent.entry(object.clone()).or_insert(now);
        ledger.weigh(users, now);
        if ledger.held {
            return Verdict::Held;
        }
        let waited = now - since;
        // A clock that was set back must not make an object wait for hours.
        if users >= LEAST && (0..span(SECOND_LOOK)).contains(&waited) {
            return Verdict::LookAgain(timestamp(since + span(SECOND_LOOK)));
        }
        Verdict::Allowed
    }

    /// Notes that an object has its remote secrets. Returns whether deletions are no
    /// longer held thereby.
    pub fn present(&mut self, store: &S, object: &O, users: usize) -> bool {
        let Some(ledger) = self.ledgers.get_mut(store) else {
            return false;
        };
        if ledger.absent.remove(object).is_none() {
            return false;
        }
        let held = ledger.held;
        if ledger.held && !is_too_much(ledger.absent.len(), users) {
            ledger.held = false;
        }
        let released = held && !ledger.held;
        if ledger.absent.is_empty() {
            self.ledgers.remove(store);
        }
        released
    }

    /// Forgets an object that no longer exists.
    pub fn gone(&mut self, object: &O) {
        self.ledgers.retain(|_, ledger| {
            let removed = ledger.absent.remove(object).is_some();
            if removed && ledger.absent.len() < LEAST {
                ledger.held = false;
            }
            !ledger.absent.is_empty()
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
        self.ledgers.get(store).is_some_and(|ledger| ledger.held)
    }

    /// Stores whose deletions are held, with the number of absent objects.
    pub fn held(&self) -> impl Iterator<Item = (&S, usize)> {
        let held = self.ledgers.iter().filter(|(_, ledger)| ledger.held);
        held.map(|(store, ledger)| (store, ledger.absent.len()))
    }
}

impl<O: Ord> Ledger<O> {
    /// Holds when too much vanished within the window; what is held stays held.
    fn weigh(&mut self, users: usize, now: i64) {
        if self.held {
            return;
        }
        let since = now - span(WINDOW);
        // Old absences were acted upon; what they said is no news any more.
        self.absent.retain(|_, seen| *seen > since);
        self.held = is_too_much(self.absent.len(), users);
    }
}

fn is_too_much(absent: usize, users: usize) -> bool {
    absent >= LEAST && absent * SHARE > users
}
