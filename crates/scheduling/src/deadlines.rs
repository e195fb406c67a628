//! Deadlines of many objects, in order. Those of one second share a small set of their own, so that
//! setting or dropping one touches little memory however many there are.

use std::collections::{BTreeMap, BTreeSet};

/// A second here has 1,024 milliseconds.
const BITS: u32 = 10;
const MILLISECONDS: i64 = 1 << BITS;

/// Numbers of objects by deadline. An object may have one.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    seconds: BTreeMap<i64, BTreeSet<Entry>>,
    count: usize,
}

/// A deadline within its second, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u16, u32);

fn split(at: i64, number: u32) -> (i64, Entry) {
    let within = u16::try_from(at & (MILLISECONDS - 1)).unwrap_or(0);
    (at >> BITS, Entry(within, number))
}

impl Deadlines {
    /// Adds a deadline.
    pub(crate) fn insert(&mut self, at: i64, number: u32) {
        let (second, entry) = split(at, number);
        let new = self.seconds.entry(second).or_default().insert(entry);
        self.count += usize::from(new);
    }

    /// Drops a deadline.
    pub(crate) fn remove(&mut self, at: i64, number: u32) {
        let (second, entry) = split(at, number);
        let Some(entries) = self.seconds.get_mut(&second) else {
            return;
        };
        self.count -= usize::from(entries.remove(&entry));
        if entries.is_empty() {
            self.seconds.remove(&second);
        }
    }

    /// The earliest one.
    pub(crate) fn first(&self) -> Option<(i64, u32)> {
        let (second, entries) = self.seconds.first_key_value()?;
        let Entry(within, number) = *entries.first()?;
        Some(((second << BITS) + i64::from(within), number))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// How many have come.
    pub(crate) fn ripe(&self, now: i64) -> usize {
        let (this_second, last) = split(now, u32::MAX);
        let whole = self.seconds.range(..this_second);
        let whole: usize = whole.map(|(_, entries)| entries.len()).sum();
        let begun = self.seconds.get(&this_second);
        whole + begun.map_or(0, |entries| entries.range(..=last).count())
    }

    /// Moves all of them to earlier times.
    pub(crate) fn set_back(&mut self, by: i64) {
        let Self { seconds, .. } = std::mem::take(self);
        for (second, entries) in seconds {
            for Entry(within, number) in entries {
                self.insert((second << BITS) + i64::from(within) - by, number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(i64, u32),
        Remove(i64, u32),
        SetBack(i64),
    }

    fn step() -> impl Strategy<Value = Step> {
        let deadline = || (-5_000..5_000_i64, 0..4_u32);
        prop_oneof![
            deadline().prop_map(|(at, number)| Step::Insert(at, number)),
            deadline().prop_map(|(at, number)| Step::Insert(at, number)),
            deadline().prop_map(|(at, number)| Step::Remove(at, number)),
            (0..3_000_i64).prop_map(Step::SetBack),
        ]
    }

    proptest! {
        #[test]
        fn order_and_counts_are_those_of_a_plain_set(
            steps in proptest::collection::vec(step(), 0..100),
            now in -5_000..5_000_i64,
        ) {
            let (mut deadlines, mut plain) = (Deadlines::default(), BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(at, number) => {
                        deadlines.insert(at, number);
                        plain.insert((at, number));
                    }
                    // Mostly one that is there.
                    Step::Remove(at, number) => {
                        let near = plain.range((at, number)..).next().copied();
                        let (at, number) = near.unwrap_or((at, number));
                        deadlines.remove(at, number);
                        plain.remove(&(at, number));
                    }
                    Step::SetBack(by) => {
                        deadlines.set_back(by);
                        plain = plain.into_iter().map(|(at, number)| (at - by, number)).collect();
                    }
                }
                prop_assert_eq!(deadlines.first(), plain.first().copied());
                prop_assert_eq!(deadlines.len(), plain.len());
            }
            let ripe = plain.iter().filter(|(at, _)| *at <= now).count();
            prop_assert_eq!(deadlines.ripe(now), ripe);
            while let Some((at, number)) = plain.pop_first() {
                prop_assert_eq!(deadlines.first(), Some((at, number)));
                deadlines.remove(at, number);
            }
            prop_assert!(deadlines.seconds.is_empty());
        }
    }
}
