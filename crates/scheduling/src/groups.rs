//! Decides which objects share a remote read, and when it is made again. A group stands for one read
//! through one identity; every object that last synced from it subscribes. The group is due when the
//! subscriber with the shortest interval is, and one read refreshes all of them; groups that are due a
//! little later may be read in the same request. An unchanged fingerprint moves the deadline; a changed
//! one requeues every subscriber. Holds fingerprints only, never a value.

mod group;
mod membership;

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use smallvec::SmallVec;

use crate::moment::{ClockGuard, NEVER, floor, span, timestamp};
use crate::slab::Slab;
use group::Group;

#[cfg(test)]
mod tests;

/// Deadlines looked at for groups that may be read along.
const LOOK_AHEAD: usize = 512;

/// A read an object synced from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken<G> {
    /// The group.
    pub group: G,
    /// Fingerprint of the answer.
    pub fingerprint: u64,
    /// When the read began.
    pub read_at: Timestamp,
}

/// What is held at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupStats {
    /// Groups.
    pub groups: usize,
    /// Objects that subscribe to at least one.
    pub objects: usize,
    /// Groups being read.
    pub reading: usize,
}

/// All groups and their subscribers. `G` says which read it is, with everything that can change its
/// answer; `O` names an object.
#[derive(Debug)]
pub struct Groups<G, O> {
    numbers: HashMap<Arc<G>, u32>,
    held: Slab<Group<G>>,
    objects: HashMap<O, u32>,
    members: Slab<Member<O>>,
    due: BTreeSet<(i64, u32)>,
    reading: usize,
    clock: ClockGuard,
}

#[derive(Debug)]
struct Member<O> {
    key: O,
    interval: i64,
    /// How fresh it was when an answer changed; it is no fresher until it syncs from the new one.
    stale_since: i64,
    groups: SmallVec<[u32; 4]>,
}

impl<G, O> Default for Groups<G, O> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            held: Slab::default(),
            objects: HashMap::new(),
            members: Slab::default(),
            due: BTreeSet::new(),
            reading: 0,
            clock: ClockGuard::default(),
        }
    }
}

impl<G: Eq + Hash, O: Eq + Hash + Clone> Groups<G, O> {
    /// The next group to read, marked as being read until [`Groups::read`], [`Groups::failed`] or
    /// [`Groups::postpone`]; one of its subscribers comes with it.
    pub fn pop(&mut self, now: Timestamp) -> Option<(Arc<G>, O)> {
        let now = floor(now);
        if let Some(back) = self.clock.look(now) {
            self.set_back(back);
        }
        let (due, number) = *self.due.first()?;
        (due <= now).then(|| self.take(number)).flatten()
    }

    /// Up to `most` groups that `fits` and that may be read now because another one is: due within
    /// the jitter of their interval, the nearest first. They count as popped.
    pub fn pop_along(
        &mut self,
        now: Timestamp,
        most: usize,
        fits: impl Fn(&G) -> bool,
    ) -> Vec<(Arc<G>, O)> {
        let now = floor(now);
        let near = self.due.iter().take(LOOK_AHEAD);
        let near = near.filter(|(_, number)| {
            let group = self.held.get(*number);
            group.is_some_and(|group| group.may_go_along(now) && fits(&group.key))
        });
        let near: Vec<u32> = near.take(most).map(|(_, number)| *number).collect();
        let near = near.into_iter();
        near.filter_map(|number| self.take(number)).collect()
    }

    /// Marks a group as being read.
    fn take(&mut self, number: u32) -> Option<(Arc<G>, O)> {
        let group = self.held.get_mut(number)?;
        self.due.remove(&(group.due, number));
        (group.reading, group.due) = (true, NEVER);
        self.reading += 1;
        let member = self.members.get(*group.members.first()?)?;
        Some((Arc::clone(&group.key), member.key.clone()))
    }

    /// Moves everything with a clock that was set back.
    fn set_back(&mut self, by: i64) {
        for group in self.held.values_mut() {
            group.read_at -= by;
            for moment in [&mut group.due, &mut group.failing_since] {
                if *moment != NEVER {
                    *moment -= by;
                }
            }
        }
        for member in self.members.values_mut() {
            if member.stale_since != NEVER {
                member.stale_since -= by;
            }
        }
        let due = std::mem::take(&mut self.due).into_iter();
        self.due = due.map(|(at, number)| (at - by, number)).collect();
    }

    /// Notes an answer, whoever asked. Returns everyone who has to run because it is another one.
    /// Answers that were overtaken by a later read say nothing.
    pub fn read(&mut self, group: &G, fingerprint: u64, read_at: Timestamp, chance: f64) -> Vec<O> {
        let Some(number) = self.numbers.get(group).copied() else {
            return Vec::new();
        };
        let read_at = self.clock.past(floor(read_at));
        let Some(group) = self.held.get_mut(number) else {
            return Vec::new();
        };
        self.reading -= usize::from(std::mem::take(&mut group.reading));
        group.failing_since = NEVER;
        let changed = read_at >= group.read_at && group.fingerprint != fingerprint;
        let woken = if changed {
            self.mark_stale(number);
            self.members_of(number)
        } else {
            Vec::new()
        };
        let Some(group) = self.held.get_mut(number) else {
            return woken;
        };
        if read_at >= group.read_at {
            (group.fingerprint, group.read_at) = (fingerprint, read_at);
        }
        let due = group.deadline(chance);
        self.set_due(number, due);
        woken
    }

    /// Freezes how fresh the subscribers of a group are: what is read from now on is not what they
    /// synced from.
    fn mark_stale(&mut self, number: u32) {
        let Some(group) = self.held.get(number) else {
            return;
        };
        let members: SmallVec<[u32; 4]> = group.members.iter().copied().collect();
        for number in members {
            let Some(member) = self.members.get(number) else {
                continue;
            };
            let fresh = self.freshness(member);
            if let Some(member) = self.members.get_mut(number) {
                member.stale_since = fresh;
            }
        }
    }

    /// When a member was last known to hold what its reads answer.
    fn freshness(&self, member: &Member<O>) -> i64 {
        let groups = member.groups.iter();
        let reads = groups.filter_map(|group| Some(self.held.get(*group)?.read_at));
        reads.chain([member.stale_since]).min().unwrap_or(NEVER)
    }

    /// Notes that a read failed for a reason that says nothing about the secret. It is tried again
    /// at `retry`; once the failures last longer than `patience`, the group ends and all its
    /// subscribers have to run, because they must tell.
    pub fn failed(
        &mut self,
        group: &G,
        patience: Duration,
        retry: Timestamp,
        now: Timestamp,
    ) -> Vec<O> {
        let now = floor(now);
        let Some(number) = self.numbers.get(group).copied() else {
            return Vec::new();
        };
        let Some(group) = self.held.get_mut(number) else {
            return Vec::new();
        };
        // A clock that was set back must not make failures look younger than none.
        group.failing_since = group.failing_since.min(now);
        if now - group.failing_since >= span(patience) {
            return self.dissolve_number(number);
        }
        self.reading -= usize::from(std::mem::take(&mut group.reading));
        self.set_due(number, floor(retry));
        Vec::new()
    }

    /// Puts a read off that was not made.
    pub fn postpone(&mut self, group: &G, until: Timestamp) {
        let Some(number) = self.numbers.get(group).copied() else {
            return;
        };
        if let Some(group) = self.held.get_mut(number) {
            self.reading -= usize::from(std::mem::take(&mut group.reading));
            self.set_due(number, floor(until));
        }
    }

    /// Ends a group; returns its subscribers, which have to look after themselves.
    pub fn dissolve(&mut self, group: &G) -> Vec<O> {
        let number = self.numbers.get(group).copied();
        number.map_or(Vec::new(), |number| self.dissolve_number(number))
    }

    /// Ends all groups that `which` picks; returns their subscribers.
    pub fn dissolve_all(&mut self, which: impl Fn(&G) -> bool) -> Vec<O> {
        let picked: Vec<u32> = self
            .held
            .iter()
            .filter(|(_, group)| which(&group.key))
            .map(|(number, _)| number)
            .collect();
        let picked = picked.into_iter();
        picked
            .flat_map(|number| self.dissolve_number(number))
            .collect()
    }

    fn dissolve_number(&mut self, number: u32) -> Vec<O> {
        let members = self.members_of(number);
        for member in &members {
            self.unsubscribe(member);
        }
        // Without members there was nobody to end it.
        self.end(number);
        members
    }

    fn set_due(&mut self, number: u32, due: i64) {
        if let Some(group) = self.held.get_mut(number).filter(|group| group.due != due) {
            self.due.remove(&(group.due, number));
            group.due = due;
            self.due.insert((due, number));
        }
    }

    /// When an object was last refreshed: the oldest of its reads that still answered what it synced
    /// from. `None` when it does not subscribe.
    pub fn refreshed(&self, object: &O) -> Option<Timestamp> {
        let member = self.members.get(*self.objects.get(object)?)?;
        Some(self.freshness(member))
            .filter(|fresh| *fresh != NEVER)
            .map(timestamp)
    }

    /// When a group was last read.
    pub fn last_read(&self, group: &G) -> Option<Timestamp> {
        let number = self.numbers.get(group)?;
        Some(timestamp(self.held.get(*number)?.read_at))
    }

    /// The earliest deadline.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| timestamp(*at))
    }

    /// What is held.
    pub fn stats(&self) -> GroupStats {
        GroupStats {
            groups: self.held.len(),
            objects: self.members.len(),
            reading: self.reading,
        }
    }
}
