//! The fresh lane: first in, first out. Whoever leaves it early only forgets its ticket, and the place
//! is passed over when its turn comes.

use std::collections::VecDeque;

use super::Slot;
use crate::slab::Slab;

/// Fewer places that nobody holds any more are not worth clearing away.
const LEFT_OVER: usize = 64;

/// Numbers of objects in the order they became fresh.
#[derive(Debug, Default)]
pub(super) struct FreshLane {
    places: VecDeque<(u64, u32)>,
    held: usize,
    next_ticket: u64,
}

impl FreshLane {
    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.held
    }

    /// Whether nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Places kept, be they held or not.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// Gives the next place away; its ticket is to be kept in the slot.
    pub(super) fn join(&mut self, number: u32) -> u64 {
        let ticket = self.next_ticket;
        self.places.push_back((ticket, number));
        self.next_ticket += 1;
        self.held += 1;
        ticket
    }

    /// The first place that is still held.
    pub(super) fn first<K>(&self, slots: &Slab<Slot<K>>) -> Option<u32> {
        let mut places = self.places.iter();
        let first = places.find(|place| is_held(place, slots));
        first.map(|(_, number)| *number)
    }

    /// Takes the first place that is still held.
    pub(super) fn pop<K>(&mut self, slots: &Slab<Slot<K>>) -> Option<u32> {
        loop {
            let place = self.places.pop_front()?;
            if is_held(&place, slots) {
                return Some(place.1);
            }
        }
    }

    /// A ticket was given up. Clears left-over places away when they are the most.
    pub(super) fn left<K>(&mut self, slots: &Slab<Slot<K>>) {
        self.held -= 1;
        if self.places.len() > 2 * self.held + LEFT_OVER {
            self.places.retain(|place| is_held(place, slots));
        }
    }
}

fn is_held<K>((ticket, number): &(u64, u32), slots: &Slab<Slot<K>>) -> bool {
    slots
        .get(*number)
        .is_some_and(|slot| slot.ticket == Some(*ticket))
}
