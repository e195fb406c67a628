//! Who subscribes to which group: objects join by what they synced from and leave when they sync again
//! or go. A group lives as long as somebody subscribes to it.

use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;

use super::group::Group;
use super::{Groups, Member, Taken};
use crate::moment::{NEVER, floor, span};

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
            stale_since: NEVER,
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
        let read_at = self.clock.past(floor(read.read_at));
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
        let group = Group::new(Arc::clone(&key), fingerprint, read_at);
        let number = self.held.insert(group);
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
    pub(super) fn end(&mut self, number: u32) -> Option<Group<G>> {
        let group = self.held.remove(number)?;
        self.due.remove(&(group.due, number));
        self.numbers.remove(&group.key);
        self.reading -= usize::from(group.reading);
        Some(group)
    }

    /// Who subscribes to a group.
    pub(super) fn members_of(&self, number: u32) -> Vec<O> {
        let Some(group) = self.held.get(number) else {
            return Vec::new();
        };
        let members = group.members.iter();
        members
            .filter_map(|member| Some(self.members.get(*member)?.key.clone()))
            .collect()
    }
}
