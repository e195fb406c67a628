//! Chooses what an open breaker is probed with: the reads that wait for the store, round robin, and the
//! store's own check once a round. Holds the newest read of each object, and a bounded number of them.

use std::collections::VecDeque;

/// Most reads held; the oldest makes room.
const MOST: usize = 16;

/// What to probe with next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe<R> {
    /// A read that waits.
    Read(R),
    /// The store's own check.
    Check,
}

/// Reads to probe with, by the object they are for.
#[derive(Clone, Debug)]
pub struct Rotation<R> {
    reads: VecDeque<(u64, R)>,
    /// Reads handed out since the last check.
    handed_out: usize,
}

impl<R> Default for Rotation<R> {
    fn default() -> Self {
        Self {
            reads: VecDeque::new(),
            handed_out: 0,
        }
    }
}

impl<R: Clone> Rotation<R> {
    /// Adds the read of an object, in place of the one it had. It is handed out before those that
    /// were handed out already.
    pub fn offer(&mut self, object: u64, read: R) {
        if let Some(known) = self.reads.iter_mut().find(|(known, _)| *known == object) {
            known.1 = read;
            return;
        }
        if self.reads.len() >= MOST {
            self.reads.pop_back();
        }
        self.reads.push_front((object, read));
    }

    /// The next probe.
    pub fn next_probe(&mut self) -> Probe<R> {
        if self.handed_out >= self.reads.len() {
            self.handed_out = 0;
            return Probe::Check;
        }
        self.handed_out += 1;
        match self.reads.pop_front() {
            None => Probe::Check,
            Some((object, read)) => {
                self.reads.push_back((object, read.clone()));
                Probe::Read(read)
            }
        }
    }

    /// Drops the reads that `gone` picks.
    pub fn drop_if(&mut self, mut gone: impl FnMut(&R) -> bool) {
        self.reads.retain(|(_, read)| !gone(read));
    }

    /// Drops all reads: the store is back.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_go_round_all_reads_and_the_check() {
        let mut rotation = Rotation::default();
        for (object, read) in [(1, 'a'), (2, 'b'), (3, 'c')] {
            rotation.offer(object, read);
        }

        let probes: Vec<Probe<char>> = (0..8).map(|_| rotation.next_probe()).collect();

        let read = Probe::Read;
        let round = [read('c'), read('b'), read('a'), Probe::Check];
        assert_eq!(probes, [round, round].concat());
    }

    #[test]
    fn an_object_is_asked_for_by_its_newest_read_and_not_at_all_when_it_is_gone() {
        let mut rotation = Rotation::default();
        rotation.offer(1, "old");
        rotation.offer(1, "new");
        assert_eq!(rotation.next_probe(), Probe::Read("new"));

        rotation.drop_if(|read| *read == "new");

        assert_eq!(rotation.next_probe(), Probe::Check);
        assert_eq!(rotation.next_probe(), Probe::Check);
    }

    #[test]
    fn the_number_of_reads_is_bounded() {
        let mut rotation = Rotation::default();
        for object in 0..1_000 {
            rotation.offer(object, object);
        }

        assert_eq!(rotation.reads.len(), MOST);
        assert_eq!(rotation.next_probe(), Probe::Read(999));
    }
}
