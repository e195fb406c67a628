//! Slots for shared reads, divided between namespaces and stores as `lockstep-scheduling` says. A read that
//! gets none is postponed, not waited for.

use std::sync::Arc;

use lockstep_runtime::slots::{Class, Slots};
use parking_lot::{Mutex, MutexGuard};

/// Slots in use.
#[derive(Clone, Default)]
pub(super) struct ReadSlots(Arc<Mutex<Slots>>);

/// A slot that is given back when it is dropped.
pub(super) struct ReadSlot {
    slots: ReadSlots,
    class: Class,
}

impl ReadSlots {
    /// One of the `free` slots for a read, if its class may have another.
    pub(super) fn take(&self, class: Class, free: usize) -> Option<ReadSlot> {
        let mut used = self.locked();
        if !used.has_room(class, free) {
            return None;
        }
        used.take(class);
        drop(used);
        Some(ReadSlot {
            slots: self.clone(),
            class,
        })
    }

    fn locked(&self) -> MutexGuard<'_, Slots> {
        self.0.lock()
    }
}

impl Drop for ReadSlot {
    fn drop(&mut self) {
        self.slots.locked().give_back(self.class);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(namespace: u64, store: u64) -> Class {
        let store = Some(store);
        Class { namespace, store }
    }

    #[test]
    fn a_namespace_takes_half_of_the_slots_in_many_stores_and_gives_them_back() {
        let slots = ReadSlots::default();
        let mut held = Vec::new();
        let take = |held: &mut Vec<ReadSlot>, class: Class| {
            let slot = slots.take(class, 128 - held.len());
            slot.map(|slot| held.push(slot)).is_some()
        };

        let mut stores = 0..;
        while take(&mut held, class(1, stores.next().unwrap())) {}
        assert_eq!(held.len(), 64);
        assert!(take(&mut held, class(2, 0)));
        held.clear();

        assert!(take(&mut held, class(1, 0)));
        held.clear();
        assert!(slots.locked().is_empty());
    }
}
