//! The connections of one store: one for all callers, or one for each calling namespace. A slot never
//! waits for the attempt of another namespace, but for a moment while nobody knows yet whether
//! connections depend on the caller.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use jiff::Timestamp;
use lockstep_provider_api::context::Time;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedMutexGuard, Semaphore};

use super::Connected;
use super::slot::Slot;
use crate::identity::StoreIdentity;

/// Most namespaces with a connection of their own to one store; the one that ends first makes room.
pub(super) const MOST_CALLERS: usize = 1_024;
/// Attempts to connect to one store at once; a namespace makes one at a time.
const MOST_ATTEMPTS: usize = 64;
/// Longest wait for another namespace's attempt, which tells whether one connection serves all.
pub(super) const LEARN: Duration = Duration::from_secs(1);

/// Whether connections of a store depend on the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dependence {
    Unknown,
    /// One connection serves all callers.
    Shared,
    /// Each calling namespace has its own.
    ByCaller,
}

/// All connections of one store.
pub(super) struct StoreConnections {
    pub(super) identity: Arc<StoreIdentity>,
    dependence: AtomicU8,
    /// For all callers, and for checks of the store itself.
    pub(super) shared: Arc<Slot>,
    callers: Mutex<BTreeMap<Arc<str>, Arc<Slot>>>,
    pub(super) attempts: Semaphore,
}

/// The right to connect through a slot.
pub(super) struct Attempt {
    pub(super) slot: Arc<Slot>,
    _turn: OwnedMutexGuard<()>,
}

impl StoreConnections {
    pub(super) fn of(identity: &StoreIdentity) -> Self {
        Self {
            identity: Arc::new(identity.clone()),
            dependence: AtomicU8::new(0),
            shared: Arc::default(),
            callers: Mutex::default(),
            attempts: Semaphore::new(MOST_ATTEMPTS),
        }
    }

    pub(super) fn dependence(&self) -> Dependence {
        match self.dependence.load(Ordering::Relaxed) {
            0 => Dependence::Unknown,
            1 => Dependence::Shared,
            _ => Dependence::ByCaller,
        }
    }

    pub(super) fn learned(&self, by_caller: bool) {
        let dependence = if by_caller { 2 } else { 1 };
        self.dependence.store(dependence, Ordering::Relaxed);
    }

    /// The connection for a caller, if there is one that lasts.
    pub(super) fn usable(&self, caller: Option<&str>, now: Timestamp) -> Option<Connected> {
        let own = caller.and_then(|caller| self.callers().get(caller).cloned());
        let own = own.and_then(|slot| slot.usable(now));
        own.or_else(|| self.shared.usable(now))
    }

    /// Waits until nobody else connects for the same callers.
    pub(super) async fn attempt(&self, caller: Option<&str>, time: &dyn Time) -> Attempt {
        if self.dependence() != Dependence::ByCaller {
            let slot = Arc::clone(&self.shared);
            let turn = pin!(Arc::clone(&slot.attempt).lock_owned());
            let turn = match self.dependence() {
                Dependence::Shared => Some(turn.await),
                _ => match select(turn, time.sleep(LEARN)).await {
                    Either::Left((turn, _)) => Some(turn),
                    Either::Right(_) => None,
                },
            };
            if let Some(turn) = turn.filter(|_| self.dependence() != Dependence::ByCaller) {
                return Attempt { slot, _turn: turn };
            }
        }
        let slot = self.slot(caller);
        let turn = Arc::clone(&slot.attempt).lock_owned().await;
        Attempt { slot, _turn: turn }
    }

    /// The slot of a caller; the store's own check has that of all callers.
    pub(super) fn slot(&self, caller: Option<&str>) -> Arc<Slot> {
        let Some(caller) = caller else {
            return Arc::clone(&self.shared);
        };
        let mut callers = self.callers();
        if let Some(slot) = callers.get(caller) {
            return Arc::clone(slot);
        }
        if callers.len() >= MOST_CALLERS {
            let idle = callers
                .iter()
                .filter(|(_, slot)| Arc::strong_count(slot) == 1);
            let ends = idle.map(|(caller, slot)| (slot.ends(), caller));
            if let Some(first) = ends.min().map(|(_, caller)| Arc::clone(caller)) {
                callers.remove(&first);
            }
        }
        let slot = Arc::<Slot>::default();
        callers.insert(Arc::from(caller), Arc::clone(&slot));
        slot
    }

    /// Drops one connection, if it is still there.
    pub(super) fn drop_one(&self, connected: &Connected) {
        match connected.caller.as_deref() {
            None => self.shared.drop_one(connected),
            Some(caller) => {
                let slot = self.callers().get(caller).cloned();
                if let Some(slot) = slot {
                    slot.drop_one(connected);
                }
            }
        }
    }

    /// Drops what has long ended; returns whether anything is left.
    pub(super) fn sweep(&self, now: Timestamp) -> bool {
        let mut callers = self.callers();
        callers.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.sweep(now));
        self.shared.sweep(now) || !callers.is_empty()
    }

    /// When its last connection ends; without any, the earliest time there is.
    pub(super) fn ends(&self) -> Timestamp {
        let callers = self.callers();
        let last = callers.values().map(|slot| slot.ends()).max();
        last.unwrap_or(Timestamp::MIN).max(self.shared.ends())
    }

    fn callers(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Arc<Slot>>> {
        self.callers.lock()
    }
}
