//! Probe reads of stores that are down or may be: the part of the program that waits and asks.

use lockstep_scheduling::limits::release_times;
use lockstep_scheduling::rotation::Probe;

use super::{Day, Event, Waiter, at};
use crate::remote::SECOND;

impl Day {
    /// Looks at a store again in a second while calls wait or its breaker is open.
    pub(super) fn plan_recheck(&mut self, store: u16) {
        let client = &mut self.clients[usize::from(store)];
        let waits = !client.queue.is_empty() || client.governor.is_open();
        if waits && !std::mem::replace(&mut client.recheck_planned, true) {
            self.later(SECOND, Event::Recheck { store });
        }
    }

    /// Makes a probe read if one is due, and serves calls whose pause is over.
    pub(super) fn recheck(&mut self, store: u16) {
        let now = at(self.now);
        let client = &mut self.clients[usize::from(store)];
        let due = client.governor.next_probe().is_some_and(|due| due <= now);
        let mut probe = due.then(|| client.probes.next_probe());
        if probe == Some(Probe::Check) {
            // Simulated stores have no check of their own.
            probe = Some(client.probes.next_probe());
        }
        match probe {
            Some(Probe::Read(key)) => self.read(key, self.now, Waiter::Probe(store)),
            Some(Probe::Check) | None => self.serve(store),
        }
    }

    /// Reads the keys again that answered lately.
    pub(super) fn confirm(&mut self, store: u16) {
        let client = &mut self.clients[usize::from(store)];
        let known_good = client.governor.known_good();
        client.confirming = known_good.len();
        if known_good.is_empty() {
            client.governor.end_confirmation();
        }
        for call in known_good {
            let key = u32::try_from(call.key).unwrap_or(0);
            self.read(key, self.now, Waiter::Probe(store));
        }
    }

    /// Notes the end of a probe read. The governor knows its outcome already.
    pub(super) fn probed(&mut self, store: u16) {
        let client = &mut self.clients[usize::from(store)];
        if client.confirming > 0 {
            client.confirming -= 1;
            if client.confirming == 0 {
                client.governor.end_confirmation();
            }
        }
    }

    /// Queues the objects that waited for a store.
    pub(super) fn recovered(&mut self, store: u16) {
        let client = &mut self.clients[usize::from(store)];
        client.probes.clear();
        let waiting = std::mem::take(&mut client.waiting);
        let times = release_times(at(self.now), waiting.len());
        for (number, time) in waiting.into_iter().zip(times) {
            self.fleet.objects[number as usize].asked = self.now;
            self.queue.reset_backoff(&number);
            self.queue.due(number, time);
        }
    }
}
