//! Slots shared by namespaces: one namespace gets half of them at most, and those that wait are served
//! in turn, however many of their objects wait. Knows nothing of what is done in a slot.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// A fixed number of slots.
pub(super) struct Slots {
    /// Slots one namespace may have.
    share: usize,
    state: Mutex<State>,
}

struct State {
    free: usize,
    /// Slots taken, by namespace.
    taken: BTreeMap<String, usize>,
    /// Who waits, by namespace; the one that was served longest ago first.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<Slot>>)>,
}

/// A slot; dropping it serves the next in turn.
pub(super) struct Slot {
    /// None once it is given back.
    slots: Option<Arc<Slots>>,
    namespace: String,
}

impl Slots {
    /// So many slots, all free.
    pub(super) fn new(slots: usize) -> Arc<Self> {
        Arc::new(Self {
            share: (slots / 2).max(1),
            state: Mutex::new(State {
                free: slots,
                taken: BTreeMap::new(),
                waiting: VecDeque::new(),
            }),
        })
    }

    /// Waits for a slot.
    pub(super) async fn take(self: &Arc<Self>, namespace: &str) -> Slot {
        loop {
            let (sender, receiver) = oneshot::channel();
            {
                let mut state = self.locked();
                let queue = state.waiting.iter_mut().find(|(name, _)| name == namespace);
                if let Some((_, queue)) = queue {
                    queue.push_back(sender);
                } else {
                    let queue = VecDeque::from([sender]);
                    state.waiting.push_back((namespace.to_owned(), queue));
                }
            }
            self.serve();
            // The sender waits in the queue until it is used, so there is always an answer.
            if let Ok(slot) = receiver.await {
                return slot;
            }
        }
    }

    /// Gives free slots to those who wait.
    fn serve(self: &Arc<Self>) {
        let mut state = self.locked();
        while let Some((namespace, sender)) = state.next(self.share) {
            let slot = Slot {
                slots: Some(Arc::clone(self)),
                namespace,
            };
            state.free -= 1;
            *state.taken.entry(slot.namespace.clone()).or_default() += 1;
            // Whoever waited may have been cut off meanwhile.
            if let Err(mut unwanted) = sender.send(slot) {
                unwanted.slots = None;
                state.release(&unwanted.namespace);
            }
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Who is next, if there is a slot for it.
    fn next(&mut self, share: usize) -> Option<(String, oneshot::Sender<Slot>)> {
        if self.free == 0 {
            return None;
        }
        let taken = &self.taken;
        let may = |name: &String| taken.get(name).is_none_or(|taken| *taken < share);
        let at = self.waiting.iter().position(|(name, _)| may(name))?;
        let (namespace, mut queue) = self.waiting.remove(at)?;
        let sender = queue.pop_front();
        if !queue.is_empty() {
            self.waiting.push_back((namespace.clone(), queue));
        }
        Some((namespace, sender?))
    }

    fn release(&mut self, namespace: &str) {
        self.free += 1;
        if let Some(taken) = self.taken.get_mut(namespace) {
            *taken -= 1;
            if *taken == 0 {
                self.taken.remove(namespace);
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(slots) = self.slots.take() {
            slots.locked().release(&self.namespace);
            slots.serve();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn one_namespace_gets_half_of_the_slots() {
        let slots = Slots::new(4);

        let held = (slots.take("a").await, slots.take("a").await);

        assert!(slots.take("a").now_or_never().is_none());
        assert!(slots.take("b").now_or_never().is_some());
        drop(held);
        assert!(slots.take("a").now_or_never().is_some());
    }

    #[tokio::test]
    async fn those_who_wait_are_served_in_turn_of_namespaces() {
        let slots = Slots::new(2);
        let (first, second) = (slots.take("a").await, slots.take("b").await);
        let mut many: Vec<_> = (0..100).map(|_| Box::pin(slots.take("a"))).collect();
        for one in &mut many {
            assert!(one.as_mut().now_or_never().is_none());
        }
        let mut late = Box::pin(slots.take("c"));
        assert!(late.as_mut().now_or_never().is_none());

        drop(second);
        let third = late.as_mut().now_or_never();

        assert!(third.is_some());
        assert!(many[0].as_mut().now_or_never().is_none());
        drop(first);
        assert!(many[0].as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_waiter_that_was_cut_off_costs_no_slot() {
        let slots = Slots::new(1);
        let held = slots.take("a").await;
        let mut cut_off = Box::pin(slots.take("b"));
        assert!(cut_off.as_mut().now_or_never().is_none());
        drop(cut_off);

        drop(held);

        assert!(slots.take("c").now_or_never().is_some());
        assert_eq!(slots.locked().free, 1);
    }

    #[tokio::test]
    async fn a_slot_that_was_served_but_never_fetched_comes_back() {
        let slots = Slots::new(1);
        let held = slots.take("a").await;
        let mut served = Box::pin(slots.take("b"));
        assert!(served.as_mut().now_or_never().is_none());

        drop(held);
        drop(served);

        assert!(slots.take("c").now_or_never().is_some());
    }
}
