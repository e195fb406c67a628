//! Shared reads by example, and under random orders of subscribing, reading, failing and leaving.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

type Shared = Groups<&'static str, u8>;

const MINUTE: Duration = Duration::from_mins(1);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn taken(group: &'static str, fingerprint: u64, read_at: i64) -> Taken<&'static str> {
    Taken {
        group,
        fingerprint,
        read_at: at(read_at),
    }
}

fn due(groups: &mut Shared, now: i64) -> Option<&'static str> {
    groups.pop(at(now)).map(|(group, _)| *group)
}

#[test]
fn one_read_refreshes_everyone_who_shares_it() {
    let mut groups = Shared::default();
    for object in 0..100 {
        assert!(groups.subscribe(object, MINUTE, vec![taken("db", 7, 0)], 0.0));
    }

    assert_eq!(due(&mut groups, 59), None);
    assert_eq!(due(&mut groups, 60), Some("db"));
    assert_eq!(due(&mut groups, 60), None);
    let woken = groups.read(&"db", 7, at(60), 0.0);

    assert_eq!(woken, Vec::<u8>::new());
    assert!((0..100).all(|object| groups.refreshed(&object) == Some(at(60))));
    assert_eq!(groups.next_deadline(), Some(at(120)));
}

#[test]
fn another_answer_runs_every_subscriber_once() {
    let mut groups = Shared::default();
    for object in 0..3 {
        groups.subscribe(object, MINUTE, vec![taken("db", 7, 0)], 0.0);
    }

    assert_eq!(groups.read(&"db", 8, at(60), 0.0), [0, 1, 2]);
    assert_eq!(groups.read(&"db", 8, at(61), 0.0), Vec::<u8>::new());
}

#[test]
fn the_most_impatient_subscriber_sets_the_pace_while_it_is_there() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE * 60, vec![taken("db", 7, 0)], 0.0);
    groups.subscribe(2, MINUTE, vec![taken("db", 7, 0)], 0.0);
    assert_eq!(groups.next_deadline(), Some(at(60)));

    groups.unsubscribe(&2);
    assert_eq!(due(&mut groups, 60), Some("db"));
    groups.read(&"db", 7, at(60), 0.0);

    assert_eq!(groups.next_deadline(), Some(at(60 + 3600)));
}

#[test]
fn who_synced_from_an_overtaken_answer_must_run_again() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 7, 0)], 0.0);
    groups.read(&"db", 8, at(10), 0.0);

    assert!(!groups.subscribe(2, MINUTE, vec![taken("db", 7, 5)], 0.0));
    assert!(groups.subscribe(2, MINUTE, vec![taken("db", 8, 10)], 0.0));
}

#[test]
fn an_answer_that_was_overtaken_wakes_nobody() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 8, 10)], 0.0);

    assert_eq!(groups.read(&"db", 7, at(5), 0.0), Vec::<u8>::new());
    assert_eq!(groups.refreshed(&1), Some(at(10)));
}

#[test]
fn short_failures_are_retried_in_silence_and_long_ones_are_told_to_all() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 7, 0)], 0.0);
    groups.subscribe(2, MINUTE, vec![taken("db", 7, 0), taken("tls", 1, 0)], 0.0);
    let patience = Duration::from_secs(5);
    assert_eq!(due(&mut groups, 60), Some("db"));

    assert_eq!(
        groups.failed(&"db", patience, at(61), at(60)),
        Vec::<u8>::new()
    );
    assert_eq!(due(&mut groups, 60), Some("tls"));
    assert_eq!(due(&mut groups, 61), Some("db"));
    assert_eq!(groups.failed(&"db", patience, at(66), at(65)), [1, 2]);

    assert_eq!(groups.refreshed(&2), None);
    assert_eq!(groups.stats(), GroupStats::default());
}

#[test]
fn groups_due_soon_are_read_along_and_no_earlier_than_their_jitter() {
    let mut groups = Shared::default();
    for (object, (group, read_at)) in [("a", 0), ("b", 6), ("c", 7), ("other", 1), ("d", 2)]
        .into_iter()
        .enumerate()
    {
        let object = u8::try_from(object).unwrap();
        groups.subscribe(object, MINUTE, vec![taken(group, 7, read_at)], 0.0);
    }
    assert_eq!(due(&mut groups, 60), Some("a"));

    let mut along = |most| -> Vec<_> {
        let popped = groups.pop_along(at(60), most, |group| *group != "other");
        popped.into_iter().map(|(group, _)| *group).collect()
    };
    assert_eq!(along(1), ["d"]);
    assert_eq!(along(9), ["b"], "c is due more than a tenth too late");
    assert_eq!(along(9), [""; 0]);

    assert_eq!(groups.stats().reading, 3);
    groups.read(&"b", 7, at(60), 0.0);
    assert_eq!(groups.refreshed(&1), Some(at(60)));
    assert_eq!(due(&mut groups, 61), Some("other"));
}

#[test]
fn an_answer_ends_the_patience_with_failures() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 7, 0)], 0.0);
    let patience = Duration::from_secs(5);
    due(&mut groups, 60);
    groups.failed(&"db", patience, at(61), at(60));
    due(&mut groups, 61);
    groups.read(&"db", 7, at(61), 0.0);
    due(&mut groups, 121);

    let told = groups.failed(&"db", patience, at(122), at(121));

    assert_eq!(told, Vec::<u8>::new());
}

#[test]
fn an_object_is_as_fresh_as_the_oldest_of_its_reads() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("a", 1, 10), taken("b", 2, 20)], 0.0);
    groups.read(&"a", 1, at(30), 0.0);

    assert_eq!(groups.refreshed(&1), Some(at(20)));
}

#[test]
fn an_object_is_no_fresher_than_the_last_read_that_answered_what_it_synced_from() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 7, 0)], 0.0);
    groups.subscribe(2, MINUTE, vec![taken("db", 7, 0)], 0.0);
    groups.read(&"db", 7, at(60), 0.0);

    groups.read(&"db", 8, at(120), 0.0);
    groups.read(&"db", 8, at(180), 0.0);
    groups.subscribe(2, MINUTE, vec![taken("db", 8, 180)], 0.0);

    assert_eq!(groups.refreshed(&1), Some(at(60)));
    assert_eq!(groups.refreshed(&2), Some(at(180)));
}

#[test]
fn a_clock_that_is_set_back_stops_no_read_and_hides_no_change() {
    let day = 86_400;
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 7, day)], 0.0);
    groups.subscribe(2, MINUTE, vec![taken("mail", 1, day)], 0.0);
    assert_eq!(due(&mut groups, day + 10), None);

    assert_eq!(due(&mut groups, 10), None);
    assert_eq!(groups.refreshed(&1), Some(at(0)));
    assert_eq!(due(&mut groups, 59), None);
    assert!(due(&mut groups, 60).is_some());
    assert!(due(&mut groups, 60).is_some());
    assert_eq!(groups.read(&"db", 8, at(60), 0.0), [1]);
    assert!(groups.read(&"mail", 1, at(60), 0.0).is_empty());
    assert_eq!(groups.next_deadline(), Some(at(120)));
}

#[test]
fn an_answer_on_its_way_while_the_clock_was_set_back_does_not_come_from_the_future() {
    let day = 86_400;
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("db", 7, day)], 0.0);
    assert_eq!(due(&mut groups, day + 60), Some("db"));

    assert_eq!(due(&mut groups, 10), None);
    assert!(groups.read(&"db", 7, at(day + 60), 0.0).is_empty());

    assert_eq!(groups.next_deadline(), Some(at(70)));
    assert_eq!(due(&mut groups, 70), Some("db"));
    assert_eq!(groups.read(&"db", 8, at(70), 0.0), [1]);
}

#[test]
fn dissolving_by_store_reaches_only_its_users() {
    let mut groups = Shared::default();
    groups.subscribe(1, MINUTE, vec![taken("one/a", 1, 0)], 0.0);
    groups.subscribe(2, MINUTE, vec![taken("two/a", 1, 0)], 0.0);

    let told = groups.dissolve_all(|group| group.starts_with("one/"));

    assert_eq!(told, [1]);
    assert_eq!(groups.stats().groups, 1);
}

#[derive(Clone, Debug)]
enum Step {
    Subscribe(u8, Vec<u8>, u8),
    Leave(u8),
    Change(u8),
    Pop,
    PopAlong,
    Answer(usize),
    Fail(usize),
    Forced(u8),
    Advance(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let object = 0..6_u8;
    let key = 0..4_u8;
    let keys = proptest::collection::vec(key.clone(), 1..4);
    prop_oneof![
        (object.clone(), keys, 1..4_u8).prop_map(|(o, k, m)| Step::Subscribe(o, k, m)),
        object.prop_map(Step::Leave),
        key.clone().prop_map(Step::Change),
        Just(Step::Pop),
        Just(Step::PopAlong),
        (0..4_usize).prop_map(Step::Answer),
        (0..4_usize).prop_map(Step::Fail),
        key.prop_map(Step::Forced),
        (1..90_i64).prop_map(Step::Advance),
    ]
}

/// Remote values, what each object last synced from, and reads under way.
#[derive(Default)]
struct World {
    now: i64,
    remote: BTreeMap<u8, u64>,
    synced: BTreeMap<u8, (BTreeMap<u8, u64>, i64)>,
    to_run: BTreeSet<u8>,
    reading: Vec<u8>,
}

impl World {
    fn wake(&mut self, woken: Vec<u8>) {
        self.to_run.extend(woken);
    }

    fn sync(&mut self, object: u8, keys: &[u8], interval: i64, groups: &mut Groups<u8, u8>) {
        let seen: BTreeMap<u8, u64> = keys
            .iter()
            .map(|key| (*key, self.remote.get(key).copied().unwrap_or(0)))
            .collect();
        for (key, value) in &seen {
            let woken = groups.read(key, *value, at(self.now), 0.0);
            self.wake(woken);
        }
        let reads = seen.iter().map(|(key, value)| Taken {
            group: *key,
            fingerprint: *value,
            read_at: at(self.now),
        });
        let interval_of = Duration::from_secs(u64::try_from(interval).unwrap());
        self.to_run.remove(&object);
        if !groups.subscribe(object, interval_of, reads.collect(), 0.0) {
            self.to_run.insert(object);
        }
        self.synced.insert(object, (seen, interval));
    }

    fn apply(&mut self, step: &Step, groups: &mut Groups<u8, u8>) {
        match step {
            Step::Subscribe(object, keys, minutes) => {
                self.sync(*object, keys, i64::from(*minutes) * 60, groups);
            }
            Step::Leave(object) => {
                groups.unsubscribe(object);
                self.synced.remove(object);
                self.to_run.remove(object);
            }
            Step::Change(key) => *self.remote.entry(*key).or_insert(0) += 1,
            Step::Pop => {
                if let Some((key, member)) = groups.pop(at(self.now)) {
                    assert!(self.synced.contains_key(&member), "a stranger came along");
                    self.reading.push(*key);
                }
            }
            Step::PopAlong => {
                for (key, member) in groups.pop_along(at(self.now), 2, |key| *key != 3) {
                    assert!(self.synced.contains_key(&member), "a stranger came along");
                    self.reading.push(*key);
                }
            }
            Step::Answer(place) => {
                if !self.reading.is_empty() {
                    let key = self.reading.remove(place % self.reading.len());
                    let value = self.remote.get(&key).copied().unwrap_or(0);
                    let woken = groups.read(&key, value, at(self.now), 0.0);
                    self.wake(woken);
                }
            }
            Step::Fail(place) => {
                if !self.reading.is_empty() {
                    let key = self.reading.remove(place % self.reading.len());
                    let retry = at(self.now + 1);
                    let told = groups.failed(&key, Duration::from_secs(5), retry, at(self.now));
                    self.wake(told);
                }
            }
            Step::Forced(key) => {
                let value = self.remote.get(key).copied().unwrap_or(0);
                let woken = groups.read(key, value, at(self.now), 0.0);
                self.wake(woken);
            }
            Step::Advance(seconds) => self.now += seconds,
        }
    }

    /// Lets time pass and everything due be read, as a healthy store would.
    fn settle(&mut self, groups: &mut Groups<u8, u8>) {
        while !self.reading.is_empty() {
            self.apply(&Step::Answer(0), groups);
        }
        for _ in 0..5 {
            self.now += 60;
            while let Some((key, _)) = groups.pop(at(self.now)) {
                let value = self.remote.get(&key).copied().unwrap_or(0);
                let woken = groups.read(&key, value, at(self.now), 0.0);
                self.wake(woken);
            }
        }
    }
}

proptest! {
    #[test]
    fn no_order_leaves_an_object_with_an_old_value_and_no_run_to_come(
        steps in proptest::collection::vec(step(), 0..150),
    ) {
        let (mut groups, mut world) = (Groups::default(), World::default());
        for step in &steps {
            world.apply(step, &mut groups);
            prop_assert!(groups.stats().reading <= world.reading.len());
        }

        world.settle(&mut groups);

        for (object, (seen, _)) in &world.synced {
            let current = seen
                .iter()
                .all(|(key, value)| world.remote.get(key).copied().unwrap_or(0) == *value);
            let looked_after = current || world.to_run.contains(object);
            prop_assert!(looked_after, "object {object} is out of date and nobody knows");
            let fresh = groups.refreshed(object);
            let bound = at(world.now - 4 * 60);
            let told = world.to_run.contains(object);
            prop_assert!(told || fresh.is_some_and(|read| read >= bound), "{object}: {fresh:?}");
        }
    }

    #[test]
    fn nothing_is_left_when_everyone_has_left(
        steps in proptest::collection::vec(step(), 0..150),
    ) {
        let (mut groups, mut world) = (Groups::default(), World::default());
        for step in &steps {
            world.apply(step, &mut groups);
        }

        for object in 0..6 {
            groups.unsubscribe(&object);
        }

        prop_assert_eq!(groups.stats(), GroupStats::default());
        prop_assert!(groups.due.is_empty() && groups.numbers.is_empty());
    }
}
