//! A store of many objects whose refreshes are spread over their interval, on a virtual clock.

use std::collections::BTreeSet;
use std::time::Duration;

use super::tests::at;
use super::{Absence, Guard, Sight, Verdict};

/// Objects of one store, which of them have lost their remote secrets, and whose targets were deleted.
pub(super) struct Fleet {
    guard: Guard<&'static str, u32>,
    users: u32,
    interval: i64,
    chance: fastrand::Rng,
    pub(super) absent: BTreeSet<u32>,
    pub(super) deleted: BTreeSet<u32>,
    /// One read of a sample in so many gives no answer; none where it is zero.
    pub(super) unreadable: u32,
    /// Reads of samples.
    reads: usize,
}

impl Fleet {
    pub(super) fn new(users: u32, interval: i64, seed: u64) -> Self {
        Self {
            guard: Guard::default(),
            users,
            interval,
            chance: fastrand::Rng::with_seed(seed),
            absent: BTreeSet::new(),
            deleted: BTreeSet::new(),
            unreadable: 0,
            reads: 0,
        }
    }

    /// An object is refreshed. What it waits for ends within the same second.
    pub(super) fn look(&mut self, object: u32, now: i64) {
        let mut turns = vec![object];
        while let Some(object) = turns.pop() {
            if !self.absent.contains(&object) {
                self.guard.present(&"s", &object, at(now));
                continue;
            }
            if self.deleted.contains(&object) {
                continue;
            }
            let absence = Absence {
                users: usize::try_from(self.users).unwrap(),
                interval: Duration::from_secs(self.interval.unsigned_abs()),
            };
            match self.guard.absent(&"s", &object, absence, at(now)) {
                Verdict::Allowed => {
                    self.deleted.insert(object);
                }
                Verdict::Sample(number) => {
                    if self.sample(object, number, now) {
                        turns.extend(self.guard.sample_ended(&"s"));
                    } else {
                        self.guard.exhausted(&"s", at(now));
                        turns.push(object);
                    }
                }
                Verdict::LookAgain(_) | Verdict::Held => {}
            }
        }
    }

    fn sample(&mut self, but: u32, number: usize, now: i64) -> bool {
        let lately = self.guard.seen_since(&"s", &but, at(now));
        let usable = |object: &u32| {
            *object != but && !lately.contains(object) && !self.deleted.contains(object)
        };
        let picked = self
            .chance
            .choose_multiple((0..self.users).filter(usable), number);
        for object in &picked {
            self.reads += 1;
            let unread = self.unreadable > 0 && self.chance.u32(0..self.unreadable) == 0;
            let sight = if unread {
                Sight::Unknown
            } else if self.absent.contains(object) {
                Sight::Absent
            } else {
                Sight::Present
            };
            self.guard.sampled(&"s", object, sight, at(now));
        }
        !picked.is_empty()
    }

    /// All objects are refreshed once, spread over their interval.
    pub(super) fn look_at_all(&mut self, began: i64) {
        for object in 0..self.users {
            let offset = i64::from(object) * self.interval / i64::from(self.users);
            self.look(object, began + offset);
        }
    }
}

const MINUTE: i64 = 60;
const INTERVALS: [i64; 3] = [MINUTE, 60 * MINUTE, 24 * 60 * MINUTE];

#[test]
fn an_account_that_answers_not_found_for_everything_deletes_nothing() {
    for interval in INTERVALS {
        let mut fleet = Fleet::new(1_000, interval, 7);
        fleet.look_at_all(0);
        fleet.absent = (0..1_000).collect();

        fleet.look_at_all(interval);
        fleet.look_at_all(2 * interval);

        assert_eq!(fleet.deleted, BTreeSet::new(), "every {interval} s");
        assert!(fleet.guard.is_held(&"s"));
        assert_eq!(fleet.reads, 10, "every {interval} s");
    }
}

#[test]
fn an_account_that_loses_a_third_of_its_secrets_deletes_nothing() {
    for interval in INTERVALS {
        let mut fleet = Fleet::new(1_000, interval, 7);
        fleet.absent = (0..1_000).filter(|object| object % 3 == 0).collect();

        fleet.look_at_all(0);

        assert_eq!(fleet.deleted, BTreeSet::new(), "every {interval} s");
    }
}

#[test]
fn an_earlier_deletion_that_was_meant_does_not_open_the_door() {
    for interval in INTERVALS {
        let mut fleet = Fleet::new(1_000, interval, 7);
        fleet.absent = BTreeSet::from([3]);
        fleet.look_at_all(0);
        assert_eq!(fleet.deleted, BTreeSet::from([3]));

        fleet.absent = (0..1_000).collect();
        fleet.look_at_all(interval);

        assert_eq!(fleet.deleted, BTreeSet::from([3]), "every {interval} s");
    }
}

#[test]
fn secrets_that_were_deleted_on_purpose_are_followed_at_their_refresh() {
    for interval in INTERVALS {
        for meant in [1_u32, 5] {
            let mut fleet = Fleet::new(1_000, interval, 7);
            fleet.absent = (0..meant).map(|number| number * 190).collect();

            fleet.look_at_all(0);

            assert_eq!(fleet.deleted, fleet.absent, "{meant} every {interval} s");
            assert!(fleet.reads <= 60, "{} reads", fleet.reads);
        }
    }
}

#[test]
fn the_only_object_of_a_store_is_followed_at_once() {
    for interval in INTERVALS {
        let mut fleet = Fleet::new(1, interval, 7);
        fleet.absent = BTreeSet::from([0]);

        fleet.look(0, 0);

        assert_eq!(fleet.deleted, BTreeSet::from([0]));
        assert_eq!(fleet.reads, 0);
    }
}
