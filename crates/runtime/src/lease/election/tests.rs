//! The election by example, with two candidates on their own clocks.

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn after(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn candidate(name: &str) -> Election {
    Election::new(name.to_owned(), Duration::from_secs(15))
}

/// A lease taken by `name` at a second.
fn held_by(name: &str, second: i64) -> LeaseSpec {
    candidate(name).claim(at(second))
}

#[test]
fn a_free_lease_is_taken() {
    let mut me = candidate("me");
    let given_back = LeaseSpec {
        holder_identity: Some(String::new()),
        ..held_by("other", 0)
    };

    assert_eq!(me.observe(None, after(0)), Step::Take);
    assert_eq!(me.observe(Some(&given_back), after(1)), Step::Take);
}

#[test]
fn a_lease_is_respected_for_its_duration_after_we_first_saw_it() {
    let mut me = candidate("me");
    // The other's clock is an hour behind ours; its record must not look expired.
    let record = held_by("other", -3600);

    let wait = Step::Wait {
        holder: "other".to_owned(),
    };
    assert_eq!(me.observe(Some(&record), after(0)), wait);
    assert_eq!(me.observe(Some(&record), after(14)), wait);
    assert_eq!(me.observe(Some(&record), after(15)), Step::Take);
}

#[test]
fn every_renewal_starts_the_wait_anew() {
    let mut me = candidate("me");
    let mut other = candidate("other");
    let first = other.claim(at(0));
    other.held(Some(&first), after(0));
    me.observe(Some(&first), after(0));

    let renewed = other.claim(at(10));
    me.observe(Some(&renewed), after(10));

    assert!(matches!(
        me.observe(Some(&renewed), after(24)),
        Step::Wait { .. }
    ));
    assert_eq!(me.observe(Some(&renewed), after(25)), Step::Take);
}

#[test]
fn taking_over_counts_a_transition_and_renewing_does_not() {
    let mut me = candidate("me");
    let mut other = held_by("other", 0);
    other.lease_transitions = Some(4);
    me.observe(Some(&other), after(0));

    let taken = me.claim(at(20));
    me.held(Some(&taken), after(20));
    let renewed = me.claim(at(22));

    assert_eq!(taken.lease_transitions, Some(5));
    assert_eq!(taken.acquire_time, Some(MicroTime(at(20))));
    assert_eq!(renewed.lease_transitions, Some(5));
    assert_eq!(renewed.acquire_time, Some(MicroTime(at(20))));
    assert_eq!(renewed.renew_time, Some(MicroTime(at(22))));
    assert_eq!(renewed.lease_duration_seconds, Some(15));
}

#[test]
fn the_holder_leads_only_while_its_lease_is_valid() {
    let mut me = candidate("me");
    let taken = me.claim(at(0));
    me.held(Some(&taken), after(0));

    assert!(me.leads(after(14)));
    assert!(!me.leads(after(15)));
    assert!(!candidate("me").leads(after(0)));
}

#[test]
fn a_holder_that_comes_back_after_a_pause_takes_its_own_lease() {
    let mut me = candidate("me");
    let taken = me.claim(at(0));

    assert_eq!(me.observe(Some(&taken), after(100)), Step::Take);
}
