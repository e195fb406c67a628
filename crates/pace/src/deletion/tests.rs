//! The deletion guard by example, and its promise under random orders.

use proptest::prelude::*;

use super::*;

type Ours = Guard<&'static str, u32>;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

#[test]
fn a_small_store_deletes_at_once() {
    let mut guard = Ours::default();

    assert_eq!(guard.absent(&"s", &1, 9, at(0)), Verdict::Allowed);
}

#[test]
fn a_single_absence_in_a_large_store_is_looked_at_twice_and_then_followed() {
    let mut guard = Ours::default();

    assert_eq!(
        guard.absent(&"s", &1, 100, at(0)),
        Verdict::LookAgain(at(10))
    );
    assert_eq!(guard.absent(&"s", &1, 100, at(10)), Verdict::Allowed);
}

#[test]
fn when_everything_vanishes_nothing_is_deleted() {
    let mut guard = Ours::default();
    let first: Vec<Verdict> = (0..12)
        .map(|o| guard.absent(&"s", &o, 12, at(i64::from(o))))
        .collect();
    let second: Vec<Verdict> = (0..12)
        .map(|o| guard.absent(&"s", &o, 12, at(20)))
        .collect();

    assert!(!first.contains(&Verdict::Allowed));
    assert!(second.iter().all(|verdict| *verdict == Verdict::Held));
    assert_eq!(guard.held().collect::<Vec<_>>(), [(&"s", 12)]);
}

#[test]
fn a_hold_does_not_wear_off_with_time() {
    let mut guard = Ours::default();
    for object in 0..12 {
        guard.absent(&"s", &object, 12, at(0));
    }

    assert_eq!(guard.absent(&"s", &3, 12, at(86_400)), Verdict::Held);
}

#[test]
fn a_fifth_of_a_store_is_not_too_much() {
    let mut guard = Ours::default();
    for object in 0..20 {
        guard.absent(&"s", &object, 100, at(0));
    }
    assert!(!guard.is_held(&"s"));

    guard.absent(&"s", &20, 100, at(0));

    assert!(guard.is_held(&"s"));
}

#[test]
fn absences_over_more_than_ten_minutes_do_not_add_up() {
    let mut guard = Ours::default();
    for object in 0..30 {
        guard.absent(&"s", &object, 30, at(i64::from(object) * 70));
    }

    assert!(!guard.is_held(&"s"));
}

#[test]
fn a_hold_ends_when_enough_came_back() {
    let mut guard = Ours::default();
    for object in 0..12 {
        guard.absent(&"s", &object, 12, at(0));
    }

    let released: Vec<bool> = (0..12).map(|o| guard.present(&"s", &o, 12)).collect();

    assert_eq!(released.iter().filter(|released| **released).count(), 1);
    assert!(!guard.is_held(&"s"));
    assert!(guard.ledgers.is_empty());
}

#[test]
fn one_store_does_not_hold_another() {
    let mut guard = Ours::default();
    for object in 0..12 {
        guard.absent(&"s", &object, 12, at(0));
    }

    assert_eq!(guard.absent(&"t", &99, 5, at(0)), Verdict::Allowed);
}

#[test]
fn a_release_by_hand_lets_all_of_them_go() {
    let mut guard = Ours::default();
    for object in 0..12 {
        guard.absent(&"s", &object, 12, at(0));
    }

    guard.forget(&"s");

    assert!(!guard.is_held(&"s"));
}

#[test]
fn objects_that_are_deleted_do_not_keep_a_hold_up() {
    let mut guard = Ours::default();
    for object in 0..12 {
        guard.absent(&"s", &object, 12, at(0));
    }

    for object in 0..3 {
        guard.gone(&object);
    }

    assert!(!guard.is_held(&"s"));
}

proptest! {
    /// However the looks are ordered, deletions within ten minutes stay within the bound.
    #[test]
    fn no_order_deletes_more_than_the_bound_within_ten_minutes(
        users in 10..60_usize,
        looks in proptest::collection::vec((0..60_u32, 0..20_i64), 0..300),
    ) {
        let mut guard = Ours::default();
        let (mut now, mut deleted) = (0, std::collections::BTreeSet::new());
        for (object, wait) in looks {
            now += wait;
            if now > 600 {
                break;
            }
            if usize::try_from(object).unwrap() >= users || deleted.contains(&object) {
                continue;
            }
            if guard.absent(&"s", &object, users, at(now)) == Verdict::Allowed {
                deleted.insert(object);
            }
        }
        prop_assert!(deleted.len() < LEAST || deleted.len() * SHARE <= users);
    }
}
