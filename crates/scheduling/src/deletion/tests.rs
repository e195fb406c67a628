//! The deletion guard by example, and its promise under random orders.

use proptest::prelude::*;

use super::spread::Fleet;
use super::*;

type Ours = Guard<&'static str, u32>;

pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn of(users: usize) -> Absence {
    Absence {
        users,
        interval: Duration::from_hours(1),
    }
}

/// Looks at a sample of a store of so many users of which all give this.
fn sample(guard: &mut Ours, objects: std::ops::Range<u32>, sight: Sight, now: i64) {
    for object in objects {
        guard.sampled(&"s", &object, sight, at(now));
    }
    guard.sample_ended(&"s");
}

/// A store of so many users that holds its deletions.
fn held(users: usize) -> Ours {
    let mut guard = Ours::default();
    guard.absent(&"s", &0, of(users), at(0));
    sample(&mut guard, 1..11, Sight::Absent, 0);
    assert_eq!(guard.absent(&"s", &0, of(users), at(0)), Verdict::Held);
    guard
}

#[test]
fn a_small_store_deletes_at_once() {
    let mut guard = Ours::default();

    assert_eq!(guard.absent(&"s", &1, of(9), at(0)), Verdict::Allowed);
}

#[test]
fn the_first_absence_of_a_larger_store_asks_for_a_look_at_ten_others() {
    let mut guard = Ours::default();

    let first = guard.absent(&"s", &0, of(100), at(0));
    let second = guard.absent(&"s", &50, of(100), at(0));

    assert_eq!(first, Verdict::Sample(10));
    assert!(matches!(second, Verdict::LookAgain(_)));
}

#[test]
fn an_absence_is_followed_once_the_others_are_seen_to_be_there() {
    let mut guard = Ours::default();
    guard.absent(&"s", &0, of(100), at(0));
    for other in 1..11 {
        guard.sampled(&"s", &other, Sight::Present, at(1));
    }

    assert_eq!(guard.sample_ended(&"s"), BTreeSet::from([0]));
    assert_eq!(guard.absent(&"s", &0, of(100), at(1)), Verdict::Allowed);
}

#[test]
fn when_the_others_are_absent_too_nothing_is_deleted() {
    let mut guard = held(1_000);

    assert_eq!(guard.absent(&"s", &77, of(1_000), at(3)), Verdict::Held);
    assert_eq!(guard.held().collect::<Vec<_>>(), [(&"s", 12)]);
}

#[test]
fn a_hold_does_not_wear_off_with_time() {
    let mut guard = held(12);

    assert_eq!(guard.absent(&"s", &3, of(12), at(864_000)), Verdict::Held);
}

#[test]
fn a_look_from_before_the_absence_does_not_count_for_it() {
    let mut guard = Ours::default();
    guard.absent(&"s", &0, of(1_000), at(0));
    sample(&mut guard, 1..11, Sight::Present, 0);
    assert_eq!(guard.absent(&"s", &0, of(1_000), at(0)), Verdict::Allowed);

    let later = guard.absent(&"s", &500, of(1_000), at(900));

    assert_eq!(later, Verdict::Sample(10));
}

#[test]
fn a_sample_that_cannot_be_read_neither_deletes_nor_holds() {
    let mut guard = Ours::default();
    guard.absent(&"s", &0, of(11), at(0));
    sample(&mut guard, 1..11, Sight::Unknown, 0);
    assert_eq!(guard.absent(&"s", &0, of(11), at(1)), Verdict::Sample(10));
    guard.exhausted(&"s", at(1));

    let verdict = guard.absent(&"s", &0, of(11), at(1));

    assert_eq!(verdict, Verdict::LookAgain(at(61)));
    assert!(!guard.is_held(&"s"));
}

#[test]
fn a_sample_that_never_ends_is_given_up() {
    let mut guard = Ours::default();
    guard.absent(&"s", &0, of(100), at(0));

    assert_eq!(
        guard.absent(&"s", &0, of(100), at(59)),
        Verdict::LookAgain(at(60))
    );
    assert_eq!(guard.absent(&"s", &0, of(100), at(61)), Verdict::Sample(10));
}

#[test]
fn a_hold_ends_when_enough_came_back_and_then_nothing_is_remembered() {
    let mut guard = held(12);

    let released: Vec<bool> = (0..12).map(|o| guard.present(&"s", &o, at(9))).collect();

    assert_eq!(released.iter().filter(|released| **released).count(), 1);
    assert!(!guard.is_held(&"s"));
    assert!(guard.is_empty());
}

#[test]
fn one_store_does_not_hold_another() {
    let mut guard = held(12);

    assert_eq!(guard.absent(&"t", &99, of(5), at(0)), Verdict::Allowed);
}

#[test]
fn a_release_by_hand_lets_all_of_them_go() {
    let mut guard = held(12);

    guard.forget(&"s");

    assert!(!guard.is_held(&"s"));
}

#[test]
fn objects_that_are_deleted_do_not_keep_a_hold_up() {
    let mut guard = held(12);

    for object in 0..3 {
        guard.gone(&object);
    }

    assert!(!guard.is_held(&"s"));
}

#[test]
fn a_tenth_of_a_store_is_not_too_much_and_two_fifths_are() {
    for (absent, deleted) in [(10, 10), (40, 0)] {
        let mut fleet = Fleet::new(100, 60, 1);
        fleet.absent = (0..absent).collect();

        fleet.look_at_all(0);

        assert_eq!(fleet.deleted.len(), deleted, "{absent} of 100");
    }
}

proptest! {
    /// However the looks are ordered, and whatever cannot be read: a store that lost everything
    /// deletes nothing.
    #[test]
    fn no_order_of_looks_deletes_anything_when_all_is_absent(
        users in 10..60_u32,
        looks in proptest::collection::vec((0..60_u32, 0..200_i64), 0..100),
        unreadable in 0..4_u32,
        seed in any::<u64>(),
    ) {
        let mut fleet = Fleet::new(users, 3_600, seed);
        fleet.absent = (0..users).collect();
        fleet.unreadable = unreadable;
        let mut now = 0;
        for (object, wait) in looks {
            now += wait;
            fleet.look(object % users, now);
        }
        prop_assert!(fleet.deleted.is_empty());
    }
}
