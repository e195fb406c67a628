//! Decides who may take one of a bounded number of slots. Each holder belongs to a namespace and to a
//! store, and may take another slot only while both hold fewer than are free. So a namespace with many
//! slow objects leaves half of the slots to others, and so does a store that hangs, whatever namespaces
//! wait for it. Within a namespace, one store leaves a quarter of the namespace's slots to other stores.

use std::collections::BTreeMap;

/// Whom a slot is held for. Both are hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The namespace.
    pub namespace: u64,
    /// The store that is waited for; `None` where there is none.
    pub store: Option<u64>,
}

/// What a run occupies while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The class whose slot it holds.
    pub class: Class,
    /// The object that it writes, as a hash; no other run writes it meanwhile. `None` where runs never
    /// share one.
    pub target: Option<u64>,
}

/// Slots in use.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    namespaces: BTreeMap<u64, usize>,
    stores: BTreeMap<u64, usize>,
    classes: BTreeMap<Class, usize>,
}

impl Slots {
    /// Whether a class may take one of `free` slots.
    pub fn has_room(&self, class: Class, free: usize) -> bool {
        let namespace = count(&self.namespaces, class.namespace);
        let Some(store) = class.store else {
            return namespace < free;
        };
        // The namespace can take half of this difference before it holds as many as are free.
        let left = free.saturating_sub(namespace);
        count(&self.stores, store) < free && count(&self.classes, class) < left * 3 / 2
    }

    /// Takes a slot.
    pub fn take(&mut self, class: Class) {
        *self.namespaces.entry(class.namespace).or_default() += 1;
        if let Some(store) = class.store {
            *self.stores.entry(store).or_default() += 1;
            *self.classes.entry(class).or_default() += 1;
        }
    }

    /// Gives a slot back.
    pub fn give_back(&mut self, class: Class) {
        decrease(&mut self.namespaces, class.namespace);
        if let Some(store) = class.store {
            decrease(&mut self.stores, store);
            decrease(&mut self.classes, class);
        }
    }

    /// Whether no slot is in use.
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
    }
}

fn count<K: Ord>(counts: &BTreeMap<K, usize>, which: K) -> usize {
    counts.get(&which).copied().unwrap_or(0)
}

fn decrease<K: Ord>(counts: &mut BTreeMap<K, usize>, which: K) {
    match counts.get_mut(&which) {
        Some(count) if *count > 1 => *count -= 1,
        _ => {
            counts.remove(&which);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(namespace: u64, store: u64) -> Class {
        let store = Some(store);
        Class { namespace, store }
    }

    /// Takes slots of 64 for as long as there is room; `store` says of which store the next one is.
    fn fill(slots: &mut Slots, free: &mut usize, next: impl Fn(usize) -> Class) -> usize {
        let mut taken = 0;
        while slots.has_room(next(taken), *free) {
            slots.take(next(taken));
            (taken, *free) = (taken + 1, *free - 1);
        }
        taken
    }

    #[test]
    fn a_namespace_holds_half_of_the_slots_whatever_stores_it_uses() {
        let (mut slots, mut free) = (Slots::default(), 64);

        let hostile = fill(&mut slots, &mut free, |number| class(1, number as u64));

        assert_eq!(hostile, 32);
        assert!(slots.has_room(class(2, 7), free));
        assert!(slots.has_room(class(2, 1_000), free));
    }

    #[test]
    fn a_store_holds_half_of_the_slots_whatever_namespaces_use_it() {
        let (mut slots, mut free) = (Slots::default(), 64);

        let hanging = fill(&mut slots, &mut free, |number| class(number as u64, 1));

        assert_eq!(hanging, 32);
        assert!(slots.has_room(class(1_000, 2), free));
    }

    #[test]
    fn a_store_that_hangs_leaves_slots_to_other_stores_of_its_namespace() {
        let (mut slots, mut free) = (Slots::default(), 64);

        let hanging = fill(&mut slots, &mut free, |_| class(1, 1));
        let other = fill(&mut slots, &mut free, |_| class(1, 2));

        assert_eq!((hanging, other), (24, 6));
    }

    #[test]
    fn a_slot_that_is_given_back_leaves_nothing_behind() {
        let mut slots = Slots::default();
        slots.take(class(1, 1));
        slots.take(class(1, 2));

        slots.give_back(class(1, 1));
        slots.give_back(class(1, 2));

        assert!(slots.is_empty() && slots.stores.is_empty() && slots.classes.is_empty());
    }
}
