//! Who shares which remote read, and when it is made again. A group stands for one read through one
//! identity; everyone who last synced from it subscribes. It falls due when the most impatient
//! subscriber would, and one read refreshes all of them; one that is due a little later may be read
//! along with it. An answer with the fingerprint of the last one moves the deadline and does nothing
//! else; another one sends every subscriber to a run. Holds fingerprints only, never a value.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use smallvec::SmallVec;

use crate::moment::{Hand, NEVER, floor, share, span, timestamp};
use crate::slab::Slab;

#[cfg(test)]
mod tests;

/// Share of the interval by which the next read is put off, so that groups part, and by which it may
/// be brought forward, so that a backend that reads many at once is asked once.
const JITTER: f64 = 0.1;
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
pub struct Stats {
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
    hand: Hand,
}

#[derive(Debug)]
struct Group<G> {
    key: Arc<G>,
    members: BTreeSet<u32>,
    /// Subscribers by interval, of which the shortest one counts. Nearly always one interval.
    intervals: SmallVec<[(i64, u32); 1]>,
    fingerprint: u64,
    read_at: i64,
    due: i64,
    reading: bool,
    /// When the first of the failed reads in a row was noted.
    failing_since: i64,
}

#[derive(Debug)]
struct Member<O> {
    key: O,
    interval: i64,
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
            hand: Hand::default(),
        }
    }
}

impl<G: Eq + Hash, O: Eq + Hash + Clone> Groups<G, O> {
    /// Subscribes an object, in place of what it subscribed to before. `chance` lies below 1.
    /// Returns whether what it synced from is still the last word: if not, the object must run again.
    pub fn subscribe(
        &mut self,
        object: O,
        interval: Duration,
        reads: Vec<Taken<G>>,
        chance: f64,
    ) -> bool {
        self.unsubscribe(&object);
        if reads.is_empty() {
            return true;
        }
        let interval = span(interval).max(1);
        let number = self.members.insert(Member {
            key: object.clone(),
            interval,
            groups: SmallVec::new(),
        });
        self.objects.insert(object, number);
        let (mut joined, mut current) = (SmallVec::with_capacity(reads.len()), true);
        for read in reads {
            let (group, same) = self.join(number, interval, read, chance);
            current &= same;
            if !joined.contains(&group) {
                joined.push(group);
            }
        }
        if let Some(member) = self.members.get_mut(number) {
            member.groups = joined;
        }
        current
    }

    /// Puts a member into the group of a read; returns its number and whether the answer is the
    /// group's last.
    fn join(&mut self, member: u32, interval: i64, read: Taken<G>, chance: f64) -> (u32, bool) {
        let read_at = self.hand.past(floor(read.read_at));
        let number = match self.numbers.get(&read.group) {
            Some(number) => *number,
            None => self.found(read.group, read.fingerprint, read_at),
        };
        let Some(group) = self.held.get_mut(number) else {
            return (number, true);
        };
        let current = group.fingerprint == read.fingerprint || read_at >= group.read_at;
        if read_at > group.read_at {
            (group.fingerprint, group.read_at) = (read.fingerprint, read_at);
        }
        if group.members.insert(member) {
            group.add_interval(interval);
        }
        if !group.reading {
            let due = group.deadline(chance).min(group.due);
            self.set_due(number, due);
        }
        (number, current)
    }

    fn found(&mut self, key: G, fingerprint: u64, read_at: i64) -> u32 {
        let key = Arc::new(key);
        let number = self.held.insert(Group {
            key: Arc::clone(&key),
            members: BTreeSet::new(),
            intervals: SmallVec::new(),
            fingerprint,
            read_at,
            due: NEVER,
            reading: false,
            failing_since: NEVER,
        });
        self.numbers.insert(key, number);
        number
    }

    /// Takes an object out of all its groups; groups without subscribers end.
    pub fn unsubscribe(&mut self, object: &O) -> bool {
        let Some(number) = self.objects.remove(object) else {
            return false;
        };
        let Some(member) = self.members.remove(number) else {
            return false;
        };
        for group in &member.groups {
            self.part(*group, number, member.interval);
        }
        true
    }

    fn part(&mut self, number: u32, member: u32, interval: i64) {
        let Some(group) = self.held.get_mut(number) else {
            return;
        };
        group.members.remove(&member);
        group.drop_interval(interval);
        if group.members.is_empty() {
            self.end(number);
        }
    }

    /// Forgets a group whose members are gone or told.
    fn end(&mut self, number: u32) -> Option<Group<G>> {
        let group = self.held.remove(number)?;
        self.due.remove(&(group.due, number));
        self.numbers.remove(&group.key);
        self.reading -= usize::from(group.reading);
        Some(group)
    }

    /// The next group to read, marked as being read until [`Groups::read`], [`Groups::failed`] or
    /// [`Groups::postpone`]; one of its subscribers comes with it.
    pub fn pop(&mut self, now: Timestamp) -> Option<(Arc<G>, O)> {
        let now = floor(now);
        if let Some(back) = self.hand.look(now) {
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
        let near = near.filter(|(due, number)| {
            self.held.get(*number).is_some_and(|group| {
                // One that failed keeps the pause it was given.
                group.failing_since == NEVER
                    && due.saturating_sub(now) <= share(group.shortest(), JITTER)
                    && fits(&group.key)
            })
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
        let due = std::mem::take(&mut self.due).into_iter();
        self.due = due.map(|(at, number)| (at - by, number)).collect();
    }

    /// Notes an answer, whoever asked. Returns everyone who has to run because it is another one.
    /// Answers that were overtaken by a later read say nothing.
    pub fn read(&mut self, group: &G, fingerprint: u64, read_at: Timestamp, chance: f64) -> Vec<O> {
        let Some(number) = self.numbers.get(group).copied() else {
            return Vec::new();
        };
        let read_at = self.hand.past(floor(read_at));
        let Some(group) = self.held.get_mut(number) else {
            return Vec::new();
        };
        self.reading -= usize::from(std::mem::take(&mut group.reading));
        group.failing_since = NEVER;
        let changed = read_at >= group.read_at && group.fingerprint != fingerprint;
        if read_at >= group.read_at {
            (group.fingerprint, group.read_at) = (fingerprint, read_at);
        }
        let due = group.deadline(chance);
        let woken = if changed {
            self.members_of(number)
        } else {
            Vec::new()
        };
        self.set_due(number, due);
        woken
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

    fn members_of(&self, number: u32) -> Vec<O> {
        let Some(group) = self.held.get(number) else {
            return Vec::new();
        };
        let members = group.members.iter();
        members
            .filter_map(|member| Some(self.members.get(*member)?.key.clone()))
            .collect()
    }

    fn set_due(&mut self, number: u32, due: i64) {
        if let Some(group) = self.held.get_mut(number).filter(|group| group.due != due) {
            self.due.remove(&(group.due, number));
            group.due = due;
            self.due.insert((due, number));
        }
    }

    /// When an object was last refreshed: the oldest of its reads. `None` when it does not
    /// subscribe.
    pub fn refreshed(&self, object: &O) -> Option<Timestamp> {
        let member = self.members.get(*self.objects.get(object)?)?;
        let groups = member.groups.iter();
        let reads = groups.filter_map(|group| Some(self.held.get(*group)?.read_at));
        reads.min().map(timestamp)
    }

    /// The earliest deadline.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| timestamp(*at))
    }

    /// What is held.
    pub fn stats(&self) -> Stats {
        Stats {
            groups: self.held.len(),
            objects: self.members.len(),
            reading: self.reading,
        }
    }
}

impl<G> Group<G> {
    fn add_interval(&mut self, interval: i64) {
        match self
            .intervals
            .iter_mut()
            .find(|(known, _)| *known == interval)
        {
            Some((_, count)) => *count += 1,
            None => self.intervals.push((interval, 1)),
        }
    }

    fn drop_interval(&mut self, interval: i64) {
        for (known, count) in &mut self.intervals {
            if *known == interval {
                *count -= 1;
            }
        }
        self.intervals.retain(|(_, count)| *count > 0);
    }

    fn deadline(&self, chance: f64) -> i64 {
        let shortest = self.shortest();
        self.read_at + shortest + share(shortest, JITTER * chance)
    }

    /// The interval of the most impatient subscriber.
    fn shortest(&self) -> i64 {
        let intervals = self.intervals.iter().map(|(interval, _)| *interval);
        intervals.min().unwrap_or(NEVER / 4)
    }
}
